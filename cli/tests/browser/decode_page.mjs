// Decodes the data of a page by the page's own code, in Node.
//
// usage: node decode_page.mjs PAGE.html
//
// Prints a JSON list with an entry per object: the 16-bit positions, normals and vertex indices of a
// mesh, the segments of a skeleton, or the samples and planes of a volume.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const page = readFileSync(process.argv[2], "utf8");

/** Returns the text of the script element with an identifier. */
function scriptText(id) {
  const start = page.indexOf(`id="${id}">`);
  if (start < 0) throw new Error(`the page has no element ${id}`);
  return page.slice(page.indexOf(">", start) + 1, page.indexOf("</script>", start));
}

const start = page.indexOf("/** Returns the decompressed bytes");
const code = page.slice(start, page.indexOf("// Vectors, matrices by columns"));
const { decodeMesh, decodeSkeleton, decodeVolume } = new Function(
  `"use strict"; ${code}; return { decodeMesh, decodeSkeleton, decodeVolume };`,
)();

const scene = JSON.parse(scriptText("scene"));
const objects = scene.items.map(item => {
  const packed = Buffer.from(scriptText(`data-${item.data}`), "base64");
  // a buffer of its own: the views of the decoder start at 0
  const bytes = new Uint8Array(gunzipSync(packed));
  if (item.kind === "mesh") {
    const { data, indices } = decodeMesh(bytes, item.vertices, item.triangles);
    return { ...item, vertexData: [...data], indices: [...indices] };
  }
  if (item.kind === "skeleton") {
    return { ...item, segments: [...decodeSkeleton(bytes, item.lines, item.points)] };
  }
  const { samples, region, planes } = decodeVolume(bytes, item.dims, item.planes);
  return { ...item, samples: [...samples], region: [...region], planeSamples: planes.map(plane => [...plane]) };
});
console.log(JSON.stringify(objects));

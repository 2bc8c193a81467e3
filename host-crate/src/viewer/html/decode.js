// Decoding of the page's data: base64, gzip, planes of bytes, differences and index codes.

/** Returns the decompressed bytes of a data block, and removes its text from the page. */
async function readBlock(number) {
  const element = document.getElementById(`data-${number}`);
  const text = atob(element.textContent);
  element.remove();
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads planes of bytes one after the other. */
class PlaneReader {
  constructor(bytes) { this.bytes = bytes; this.offset = 0; }

  /** Returns a function from an index to its value, of `count` values in `planes` planes. */
  stream(count, planes) {
    const { bytes, offset } = this;
    this.offset += count * planes;
    if (planes === 3) {
      return i => bytes[offset + i] | bytes[offset + count + i] << 8 | bytes[offset + 2 * count + i] << 16;
    }
    return i => bytes[offset + i] | bytes[offset + count + i] << 8;
  }

  /** Adds up `count` zigzag differences of 16 bits, and calls `store(index, sum)`. */
  sums(count, store) {
    const code = this.stream(count, 2);
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const zigzag = code(i);
      sum = sum + ((zigzag >> 1) ^ -(zigzag & 1)) & 0xffff;
      store(i, sum);
    }
  }
}

/** Decodes a mesh: interleaved vertices of 12 bytes (x, y, z, 0, u, v), and indices. */
function decodeMesh(bytes, vertices, triangles) {
  const reader = new PlaneReader(bytes);
  const corners = [0, 1, 2].map(() => reader.stream(triangles, 3));
  const indices = new Uint32Array(3 * triangles);
  let next = 0;
  for (let triangle = 0; triangle < triangles; triangle++) {
    for (let corner = 0; corner < 3; corner++) {
      const code = corners[corner](triangle);
      indices[3 * triangle + corner] = code === 0 ? next++ : next - code;
    }
  }
  const data = new Uint16Array(6 * vertices);
  for (let axis = 0; axis < 3; axis++) reader.sums(vertices, (i, value) => { data[6 * i + axis] = value; });
  const scale = 65535 / 1023;
  for (let axis = 0; axis < 2; axis++) {
    reader.sums(vertices, (i, value) => { data[6 * i + 4 + axis] = Math.round(value * scale); });
  }
  return { data, indices };
}

/** Decodes a skeleton into segments of eight numbers: both ends, with their radii. */
function decodeSkeleton(bytes, lines, points) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const numbers = new Float32Array(points * 4);
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat32(4 * lines + 4 * i, true);
  const segments = new Float32Array(8 * Math.max(points - lines, 0));
  let point = 0, segment = 0;
  for (let line = 0; line < lines; line++) {
    const count = view.getUint32(4 * line, true);
    for (let i = 1; i < count; i++, segment++) {
      segments.set(numbers.subarray(4 * (point + i - 1), 4 * (point + i + 1)), 8 * segment);
    }
    point += count;
  }
  return segments.subarray(0, 8 * segment);
}

/** Decodes a volume: samples, the region of the object as 0 and 255, and full planes. */
function decodeVolume(bytes, dims, planes) {
  const [nx, ny, nz] = dims;
  const count = nx * ny * nz;
  const samples = bytes.subarray(0, count);
  const region = new Uint8Array(count);
  const rowBytes = Math.ceil(nx / 8);
  let offset = count;
  for (let row = 0; row < ny * nz; row++, offset += rowBytes) {
    for (let x = 0; x < nx; x++) {
      region[row * nx + x] = bytes[offset + (x >> 3)] >> (x & 7) & 1 ? 255 : 0;
    }
  }
  const full = planes.map(plane => {
    const length = plane.dims[0] * plane.dims[1];
    offset += length;
    return bytes.subarray(offset - length, offset);
  });
  return { samples, region, planes: full };
}

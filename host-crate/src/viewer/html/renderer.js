// Drawing of surfaces, curves and slices with WebGL 2.
//
// Opaque objects are drawn first. Transparent surfaces follow in layers from front to back (depth
// peeling), each behind the previous one, and are blended in the reverse order, so that no
// triangle order matters. While nothing moves, frames with offsets of fractions of a pixel are
// averaged, which smooths all edges.

/** Number of frames that are averaged. */
const SAMPLES = 8;
/** Maximum number of layers of transparent surfaces. */
const MAX_LAYERS = 4;
/** Opacity of curves behind an opaque surface. */
const HIDDEN_CURVES = 0.4;

/** Colours at equal distances of the maps plasma (without its brightest end) and viridis. */
const MAPS = [
  [[13, 8, 135], [75, 3, 161], [125, 3, 168], [168, 34, 150], [203, 70, 121], [229, 107, 93], [248, 148, 65], [253, 195, 40]],
  [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]],
];

/** Returns a colour of a map at a part from 0 to 1. */
function mapColor(map, part) {
  const colors = MAPS[map];
  const at = Math.max(0, Math.min(1, part)) * (colors.length - 1);
  const k = Math.min(Math.floor(at), colors.length - 2);
  return colors[k].map((channel, c) => Math.round(channel + (at - k) * (colors[k + 1][c] - channel)));
}

const FULL_SCREEN = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const COPY = `#version 300 es
precision highp float;
uniform sampler2D source;
uniform float weight;
out vec4 fragment;
void main() { fragment = texelFetch(source, ivec2(gl_FragCoord.xy), 0) * weight; }`;

class Renderer {
  constructor(canvas) {
    const options = { antialias: false, alpha: false, depth: false, powerPreference: "high-performance" };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) throw new Error("WebGL 2");
    this.gl = gl;
    this.canvas = canvas;
    this.meshes = [];
    this.curves = [];
    this.volumes = [];
    this.width = this.height = 0;
    this.accumulated = 0;
    const hasFloat = gl.getExtension("EXT_color_buffer_float") || gl.getExtension("EXT_color_buffer_half_float");
    this.samples = hasFloat ? SAMPLES : 1;
    const source = id => document.getElementById(id).textContent.trim();
    const named = name => this.program(source(`${name}.vert`), source(`${name}.frag`));
    this.programs = {
      mesh: named("mesh"), line: named("line"), slice: named("slice"), copy: this.program(FULL_SCREEN, COPY),
    };
    this.colorMaps = this.createColorMaps();
    this.empty = gl.createVertexArray();
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; i >= 0; i--) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  createColorMaps() {
    const gl = this.gl;
    const bytes = new Uint8Array(2 * 256 * 4);
    for (let map = 0; map < 2; map++) {
      for (let i = 0; i < 256; i++) bytes.set([...mapColor(map, i / 255), 255], 4 * (256 * map + i));
    }
    const texture = this.texture2D(gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 2, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return texture;
  }

  texture2D(filter) {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    return texture;
  }

  texture3D(dims, bytes) {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_3D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_3D, name, gl.LINEAR);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R]) {
      gl.texParameteri(gl.TEXTURE_3D, name, gl.CLAMP_TO_EDGE);
    }
    gl.texImage3D(gl.TEXTURE_3D, 0, gl.R8, ...dims, 0, gl.RED, gl.UNSIGNED_BYTE, bytes);
    return texture;
  }

  addMesh(item, { data, indices }) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 12, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 2, gl.UNSIGNED_SHORT, true, 12, 8);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.meshes.push({ item, array, count: indices.length });
  }

  addCurves(item, segments) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, segments, gl.STATIC_DRAW);
    for (const end of [0, 1]) {
      gl.enableVertexAttribArray(end);
      gl.vertexAttribPointer(end, 4, gl.FLOAT, false, 32, 16 * end);
      gl.vertexAttribDivisor(end, 1);
    }
    gl.bindVertexArray(null);
    this.curves.push({ item, array, count: segments.length / 8 });
  }

  addVolume(item, { samples, region, planes }) {
    const gl = this.gl;
    const textures = planes.map((bytes, k) => {
      const texture = this.texture2D(gl.LINEAR);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, ...item.planes[k].dims, 0, gl.RED, gl.UNSIGNED_BYTE, bytes);
      return texture;
    });
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, 48, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
    gl.bindVertexArray(null);
    this.volumes.push({
      item, array, buffer, textures, samples: this.texture3D(item.dims, samples), region: this.texture3D(item.dims, region),
    });
  }

  /** Allocates the targets for a size in pixels. */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    const gl = this.gl;
    for (const target of this.targets ?? []) {
      gl.deleteFramebuffer(target.framebuffer);
      for (const texture of [target.color, target.depth]) if (texture) gl.deleteTexture(texture);
    }
    Object.assign(this, { width, height });
    Object.assign(this.canvas, { width, height });
    this.scene = this.target(gl.RGBA8, true);
    this.layers = [];
    this.sum = this.samples > 1 ? this.target(gl.RGBA16F, false) : null;
    this.targets = [this.scene, this.sum].filter(Boolean);
  }

  target(format, hasDepth) {
    const gl = this.gl;
    const framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    const color = this.texture2D(gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, this.width, this.height);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
    let depth = null;
    if (hasDepth) {
      depth = this.texture2D(gl.NEAREST);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.width, this.height);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    }
    return { framebuffer, color, depth };
  }

  /** Discards the average of the previous frames. */
  invalidate() { this.accumulated = 0; }

  get isSettled() { return this.accumulated >= this.samples; }

  /** Draws one more frame of the average. */
  draw(view) {
    const gl = this.gl;
    const n = this.accumulated;
    const shift = n === 0 ? [0, 0] : [halton(n, 2) - 0.5, halton(n, 3) - 0.5];
    const frame = this.frame(view, [2 * shift[0] / this.width, 2 * shift[1] / this.height]);
    this.drawOpaque(frame);
    this.drawTransparent(frame);
    gl.disable(gl.DEPTH_TEST);
    if (this.sum) {
      gl.enable(gl.BLEND);
      gl.blendColor(0, 0, 0, 1 / (n + 1));
      gl.blendFunc(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA);
      this.copy(this.scene.color, this.sum.framebuffer);
      gl.disable(gl.BLEND);
    }
    this.copy((this.sum ?? this.scene).color, null);
    this.accumulated = n + 1;
  }

  /** Collects the values that all programs need. */
  frame(view, shift) {
    const { camera, state } = view;
    const aspect = this.width / this.height;
    return { ...view, axes: camera.axes(), toClip: camera.toClip(aspect, shift), plane: view.clipPlane(), state };
  }

  copy(texture, framebuffer, weight = 1) {
    const gl = this.gl;
    const { program, uniforms } = this.programs.copy;
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.viewport(0, 0, this.width, this.height);
    gl.useProgram(program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(uniforms.source, 0);
    gl.uniform1f(uniforms.weight, weight);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  visibleMeshes() { return this.meshes.filter(({ item }) => item.visible && item.triangles > 0); }

  drawOpaque(frame) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.scene.framebuffer);
    gl.viewport(0, 0, this.width, this.height);
    gl.clearColor(...frame.background, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawSlices(frame, 0);
    const isOpaque = frame.state.opacity >= 1;
    if (isOpaque) this.drawMeshes(frame, 0, false);
    this.drawCurves(frame);
    if (isOpaque && this.visibleMeshes().length) {
      this.beginLayer(0);
      this.drawCurves(frame);
      this.blend(this.layers[0], HIDDEN_CURVES);
    }
  }

  /** Clears a layer, and draws into it. */
  beginLayer(k) {
    const gl = this.gl;
    while (this.layers.length <= k) {
      const layer = this.target(gl.RGBA8, true);
      this.layers.push(layer);
      this.targets.push(layer);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.layers[k].framebuffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  /** Blends a layer over the scene. */
  blend(layer, weight) {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.copy(layer.color, this.scene.framebuffer, weight);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  }

  drawTransparent(frame) {
    if (frame.state.opacity >= 1) return;
    const count = Math.min(MAX_LAYERS, this.visibleMeshes().length);
    for (let k = 0; k < count; k++) {
      this.beginLayer(k);
      this.drawMeshes({ ...frame, before: k > 0 ? this.layers[k - 1].depth : null }, 1, count > 1 && !frame.isCut);
    }
    for (let k = count - 1; k >= 0; k--) this.blend(this.layers[k], 1);
  }

  drawMeshes(frame, pass, hidesBack) {
    const gl = this.gl;
    const { program, uniforms } = this.programs.mesh;
    const { axes, cut } = frame;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.toClip, false, frame.toClip);
    gl.uniform3fv(uniforms.right, axes.right);
    gl.uniform3fv(uniforms.up, axes.up);
    gl.uniform3fv(uniforms.viewer, axes.viewer);
    gl.uniform4fv(uniforms.clipPlane, frame.plane);
    this.setCut(uniforms, cut);
    gl.uniformMatrix4fv(uniforms.toSlices, false, cut ? cut.toSlices : IDENTITY);
    gl.uniform1i(uniforms.pass, pass);
    gl.uniform1i(uniforms.hidesBack, hidesBack ? 1 : 0);
    gl.uniform1f(uniforms.opacity, pass === 1 ? frame.state.opacity : 1);
    this.bind(gl.TEXTURE_2D, 0, pass === 1 ? this.scene.depth : this.colorMaps, uniforms.opaqueDepth);
    this.bind(gl.TEXTURE_2D, 1, frame.before ?? this.zero(), uniforms.before);
    for (const { item, array, count } of this.visibleMeshes()) {
      gl.uniform3fv(uniforms.color, item.color.map(channel => channel / 255));
      gl.uniform3fv(uniforms.low, item.low);
      gl.uniform3fv(uniforms.size, subtract(item.high, item.low));
      gl.bindVertexArray(array);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    }
  }

  /** Sets the corner that is cut away, if there is one. */
  setCut(uniforms, cut) {
    this.gl.uniform4fv(uniforms.cutApex, cut ? [...cut.apex, 1] : [0, 0, 0, 0]);
    this.gl.uniform3fv(uniforms.cutSigns, cut ? cut.signs : [1, 1, 1]);
  }

  /** Returns a texture of zeros with the size of the targets: the depth in front of all layers. */
  zero() {
    const gl = this.gl;
    if (this.zeroTexture?.width !== this.width || this.zeroTexture.height !== this.height) {
      if (this.zeroTexture) gl.deleteTexture(this.zeroTexture.texture);
      const texture = this.texture2D(gl.NEAREST);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R8, this.width, this.height);
      this.zeroTexture = { texture, width: this.width, height: this.height };
    }
    return this.zeroTexture.texture;
  }

  bind(kind, unit, texture, location) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(kind, texture);
    gl.uniform1i(location, unit);
  }

  drawCurves(frame) {
    const gl = this.gl;
    const { program, uniforms } = this.programs.line;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.toClip, false, frame.toClip);
    gl.uniform2f(uniforms.viewport, this.width, this.height);
    gl.uniform1f(uniforms.width, frame.curveWidth);
    gl.uniform4fv(uniforms.clipPlane, frame.plane);
    this.bind(gl.TEXTURE_2D, 0, this.colorMaps, uniforms.colors);
    for (const { item, array, count } of this.curves) {
      if (!item.visible || count === 0) continue;
      gl.uniform2fv(uniforms.range, frame.radii);
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
  }

  drawSlices(frame, pass) {
    const gl = this.gl;
    const { program, uniforms } = this.programs.slice;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.toClip, false, frame.toClip);
    gl.uniform4fv(uniforms.clipPlane, frame.plane);
    gl.uniform1i(uniforms.pass, pass);
    this.setCut(uniforms, frame.cut);
    gl.uniform1f(uniforms.lineWidth, frame.contourWidth);
    this.bind(gl.TEXTURE_2D, 0, this.colorMaps, uniforms.colors);
    for (const { item, array, buffer, textures, samples, region } of this.volumes) {
      if (!item.visible) continue;
      const isMap = item.colors === "map";
      this.bind(gl.TEXTURE_3D, 1, samples, uniforms.samples);
      this.bind(gl.TEXTURE_3D, 2, region, uniforms.region);
      gl.uniformMatrix4fv(uniforms.toWorld, false, item.to_world);
      gl.uniform3fv(uniforms.dims, item.dims);
      gl.uniform2fv(uniforms.window, item.window);
      gl.uniform1i(uniforms.isMap, isMap ? 1 : 0);
      gl.uniform1i(uniforms.hasContour, item.contours.length ? 1 : 0);
      gl.uniform1f(uniforms.contour, item.contours[0] ?? 0);
      gl.uniform3fv(uniforms.contourColor, isMap ? [1, 1, 1] : [1, 0.35, 0.2]);
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      for (let axis = 0; axis < 3; axis++) {
        if (!frame.state.slices[axis].visible) continue;
        const position = frame.slicePosition(item, axis);
        const full = item.planes.findIndex(plane => plane.axis === axis && Math.abs(plane.position - position) <= 0.5);
        gl.uniform1i(uniforms.planeAxis, full >= 0 ? axis : -1);
        this.bind(gl.TEXTURE_2D, 3, full >= 0 ? textures[full] : this.colorMaps, uniforms.plane);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, sliceCorners(item.dims, axis, position));
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      }
    }
  }

  /** Returns the depth of the nearest object at a pixel from 0 to 1, or `null`. */
  depthAt(view, x, y) {
    const gl = this.gl;
    const frame = this.frame(view, [0, 0]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.scene.framebuffer);
    gl.viewport(0, 0, this.width, this.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x, y, 1, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawSlices(frame, 2);
    this.drawMeshes(frame, 2, false);
    const bytes = new Uint8Array(4);
    gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.disable(gl.SCISSOR_TEST);
    this.invalidate();
    const [r, g, b, a] = bytes;
    return a === 0 ? null : r / 255 + g / 65025 + b / 16581375;
  }
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Returns the corners of a slice in sample indices, as a triangle strip. */
function sliceCorners(dims, axis, position) {
  const corners = [];
  for (const [first, second] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
    const corner = [0, 0, 0];
    const others = [0, 1, 2].filter(k => k !== axis);
    corner[axis] = position;
    corner[others[0]] = first * dims[others[0]] - 0.5;
    corner[others[1]] = second * dims[others[1]] - 0.5;
    corners.push(...corner);
  }
  return new Float32Array(corners);
}

/** Returns element `index` of the Halton sequence of a base. */
function halton(index, base) {
  let result = 0;
  for (let part = 1 / base; index > 0; index = Math.floor(index / base), part /= base) result += (index % base) * part;
  return result;
}

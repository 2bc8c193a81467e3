// State of the page, input and the drawing loop.

/** Opacity of surfaces around a skeleton. */
const AROUND = 0.3;
/** Vertices of a surface that determine the part of the world that is shown. */
const FIT_VERTICES = 3000;
/** Rows of a volume along y and z that do. */
const FIT_ROWS = 40;

class View {
  constructor(scene) {
    this.scene = scene;
    this.stage = document.getElementById("stage");
    this.canvas = document.getElementById("scene-canvas");
    this.renderer = new Renderer(this.canvas);
    this.overlay = new Overlay(document.getElementById("overlay-canvas"));
    this.camera = new Camera();
    this.points = [];
    this.frameTimes = [];
    this.measurement = { on: false, points: [] };
    const volumes = scene.items.filter(item => item.kind === "volume");
    for (const item of scene.items) item.visible = item.kind !== "volume" || item === volumes[0];
    const meshes = scene.items.filter(item => item.kind === "mesh");
    const skeletons = scene.items.filter(item => item.kind === "skeleton");
    const ranges = skeletons.filter(item => item.points).map(item => item.radii);
    this.radii = [Math.min(...ranges.map(range => range[0])), Math.max(...ranges.map(range => range[1]))];
    this.state = {
      opacity: skeletons.length && meshes.length && !volumes.length ? AROUND : 1,
      cutaway: volumes.length > 0 && meshes.length > 0,
      clip: { on: false, axis: "x", position: 0.5, sign: 1, normal: [1, 0, 0] },
      slices: [0, 1, 2].map(() => ({ visible: true, position: 0.5 })),
      isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    };
    this.actions = this.createActions(volumes.length > 0, meshes.length > 0);
    this.isPending = false;
  }

  createActions(hasVolume, hasMesh) {
    const { state, camera } = this;
    const toggle = (object, name) => () => { object[name] = !object[name]; };
    const views = Object.entries(VIEWS).map(([name, angles], i) => ({
      keys: [String(i + 1)], text: `View from ${{ left: "the left", right: "the right", top: "above", bottom: "below" }[name] ?? `the ${name}`}`,
      run: () => { [camera.azimuth, camera.elevation] = angles; this.fit(); },
    }));
    const step = (dx, dy) => () => camera.orbit(dx, dy);
    const actions = [
      { keys: ["r"], button: "Reset", text: "Reset the view", run: () => { [camera.azimuth, camera.elevation] = OBLIQUE; this.fit(); } },
      { keys: ["c"], button: "Clip", text: "Clip plane", run: toggle(state.clip, "on"), isOn: () => state.clip.on },
      { keys: ["m"], button: "Measure", text: "Measure a distance between two points", run: () => this.toggleMeasuring(), isOn: () => this.measurement.on },
      { keys: ["s"], button: "Picture", text: "Save a picture", run: () => this.savePicture() },
      { keys: ["t"], button: "Theme", text: "Light or dark", run: () => this.setTheme(!state.isDark) },
      { keys: ["?", "h"], button: "Help", text: "Keys", run: () => document.getElementById("help").showModal() },
      { keys: ["g"], text: "Panel", run: () => document.body.classList.toggle("no-panel") },
      { keys: ["[", "]"], text: "Move the clip plane", run: key => {
        const moved = state.clip.position + (key === "[" ? -0.02 : 0.02);
        state.clip.position = Math.max(0, Math.min(1, moved));
        state.clip.on = true;
      } },
      ...views,
      { keys: ["ArrowLeft"], text: "Rotate to the left", run: step(-5, 0) },
      { keys: ["ArrowRight"], text: "Rotate to the right", run: step(5, 0) },
      { keys: ["ArrowUp"], text: "Rotate upwards", run: step(0, -5) },
      { keys: ["ArrowDown"], text: "Rotate downwards", run: step(0, 5) },
      { keys: ["+", "="], text: "Zoom in", run: () => camera.zoom(1 / 1.15) },
      { keys: ["-"], text: "Zoom out", run: () => camera.zoom(1.15) },
    ];
    if (hasMesh) {
      actions.push({ keys: ["o", "p"], text: "Less or more opaque surfaces", run: key => {
        state.opacity = Math.max(0.1, Math.min(1, state.opacity + (key === "o" ? -0.1 : 0.1)));
      } });
    }
    if (hasVolume) {
      ["x", "y", "z"].forEach((key, axis) => actions.push({
        keys: [key], text: `Slice ${key.toUpperCase()}`, run: toggle(state.slices[axis], "visible"),
      }));
    }
    if (hasVolume && hasMesh) {
      actions.splice(2, 0, {
        keys: ["k"], button: "Cut", text: "Cut the surfaces open along the slices", run: toggle(state, "cutaway"), isOn: () => state.cutaway,
      });
    }
    return actions;
  }

  /** Loads one object after the other, and shows each when it is complete. */
  async load() {
    this.setTheme(this.state.isDark);
    this.panel = new Panel(this);
    const message = document.getElementById("message");
    for (const item of this.scene.items) {
      message.textContent = `Loading ${item.name}…`;
      const bytes = await readBlock(item.data);
      if (item.kind === "mesh") this.addMesh(item, bytes);
      if (item.kind === "skeleton") this.addSkeleton(item, bytes);
      if (item.kind === "volume") this.addVolume(item, bytes);
    }
    message.hidden = true;
    this.fit();
    this.changed();
    this.isLoaded = true;
  }

  addMesh(item, bytes) {
    const mesh = decodeMesh(bytes, item.vertices, item.triangles);
    this.renderer.addMesh(item, mesh);
    const size = subtract(item.high, item.low);
    const stride = Math.max(1, Math.floor(item.vertices / FIT_VERTICES));
    const position = i => [0, 1, 2].map(axis => item.low[axis] + size[axis] * mesh.data[6 * i + axis] / 65535);
    item.outline = [];
    for (let i = 0; i < item.vertices; i += stride) item.outline.push(position(i));
  }

  addSkeleton(item, bytes) {
    const segments = decodeSkeleton(bytes, item.lines, item.points);
    this.renderer.addCurves(item, segments);
    item.outline = [];
    for (let i = 0; i < segments.length; i += 4) item.outline.push([...segments.subarray(i, i + 3)]);
  }

  addVolume(item, bytes) {
    const volume = decodeVolume(bytes, item.dims, item.planes);
    this.renderer.addVolume(item, volume);
    // the ends of rows within the object, of some of the rows
    const [nx, ny, nz] = item.dims;
    const [stepY, stepZ] = [ny, nz].map(n => Math.max(1, Math.floor(n / FIT_ROWS)));
    item.outline = [];
    for (let z = 0; z < nz; z += stepZ) {
      for (let y = 0; y < ny; y += stepY) {
        const row = volume.region.subarray((z * ny + y) * nx, (z * ny + y + 1) * nx);
        const first = row.indexOf(255);
        if (first < 0) continue;
        for (const x of [first, row.lastIndexOf(255)]) item.outline.push(transform(item.to_world, [x, y, z]));
      }
    }
    item.toSamples = inverseAffine(item.to_world);
  }

  /** Returns the points that the view should show. */
  outline() { return this.scene.items.flatMap(item => item.visible && item.outline || []); }

  fit() {
    const points = this.outline();
    this.camera.fit(points, this.stage.clientWidth / Math.max(this.stage.clientHeight, 1));
    const all = this.scene.items.flatMap(item => item.outline ?? []);
    this.center = this.camera.target;
    this.radius = all.reduce((radius, point) => Math.max(radius, distance(point, this.center)), 1e-9);
  }

  get volume() { return this.scene.items.find(item => item.kind === "volume" && item.visible && item.toSamples); }

  /** Returns the position of a slice in sample indices. */
  slicePosition(item, axis) { return this.state.slices[axis].position * (item.dims[axis] - 1); }

  /** Returns the world axis that is nearest to an axis of the volume. */
  worldAxis(axis) {
    const { to_world: m } = this.scene.items.find(item => item.kind === "volume");
    const column = [0, 1, 2].map(row => Math.abs(m[4 * axis + row]));
    return column.indexOf(Math.max(...column));
  }

  sliceName(axis) { return "XYZ"[this.worldAxis(axis)]; }

  /** Returns the world coordinate of a slice's position along its axis. */
  sliceWorld(axis, position) {
    const item = this.volume ?? this.scene.items.find(other => other.kind === "volume");
    const index = item.dims.map(n => (n - 1) / 2);
    index[axis] = position * (item.dims[axis] - 1);
    return transform(item.to_world, index)[this.worldAxis(axis)];
  }

  /** Returns the corner that is cut away: towards the viewer from where the slices meet. */
  cut() {
    const item = this.volume;
    if (!item || !this.state.cutaway || !this.state.slices.every(slice => slice.visible)) return null;
    const { viewer } = this.camera.axes();
    const signs = [0, 1, 2].map(axis => dot(item.to_world.slice(4 * axis, 4 * axis + 3), viewer) < 0 ? -1 : 1);
    return { apex: [0, 1, 2].map(axis => this.slicePosition(item, axis)), signs, toSlices: item.toSamples };
  }

  /** Returns the clip plane: points whose product with it exceeds its last element are hidden. */
  clipPlane() {
    const { clip } = this.state;
    if (!clip.on) return [0, 0, 0, 1];
    const normal = scaled(clip.normal, clip.sign);
    let low = Infinity, high = -Infinity;
    for (const point of this.outline()) {
      const along = dot(normal, point);
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    const part = clip.sign > 0 ? clip.position : 1 - clip.position;
    return [...normal, low + part * (high - low) + 1e-6 * (high - low)];
  }

  setClipAxis(axis) {
    const { clip } = this.state;
    clip.axis = axis;
    clip.normal = axis === "view" ? this.camera.axes().viewer : [0, 1, 2].map(k => Number("xyz"[k] === axis));
    this.changed();
  }

  setTheme(isDark) {
    this.state.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    const style = getComputedStyle(document.documentElement);
    const color = name => style.getPropertyValue(name).trim();
    this.background = [1, 3, 5].map(at => parseInt(color("--background").slice(at, at + 2), 16) / 255);
    this.overlayColors = {
      background: color("--background"), text: color("--text"), accent: color("--accent"),
      axes: isDark ? ["#ff7b72", "#56d364", "#79b8ff"] : ["#c0262d", "#1a7f37", "#0550ae"],
    };
  }

  perform(action, key = action.keys[0]) {
    action.run(key);
    this.changed();
  }

  /** Redraws after a change of the state. */
  changed() {
    this.panel?.update();
    this.renderer.invalidate();
    this.requestFrame();
  }

  requestFrame() {
    if (this.isPending) return;
    this.isPending = true;
    requestAnimationFrame(() => {
      this.isPending = false;
      this.draw();
    });
  }

  get isSettled() { return this.isLoaded && !this.isPending && this.renderer.isSettled; }

  get ratio() { return Math.min(devicePixelRatio || 1, 2); }

  /** Returns everything that the renderer needs for a frame. */
  frame() {
    const { ratio, state } = this;
    const all = this.radius + distance(this.camera.target, this.center);
    this.camera.depth = 1.05 * Math.max(all, 1e-9);
    const cut = this.cut();
    return {
      camera: this.camera, state, background: this.background, cut, isCut: state.clip.on || cut !== null,
      clipPlane: () => this.clipPlane(), slicePosition: (item, axis) => this.slicePosition(item, axis),
      radii: this.radii, curveWidth: 3.4 * ratio, contourWidth: 1.6 * ratio,
    };
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!this.isLoaded || width === 0 || height === 0) return;
    const start = performance.now();
    const size = [width, height].map(length => Math.max(1, Math.round(length * this.ratio)));
    if (size[0] !== this.renderer.width || size[1] !== this.renderer.height) this.renderer.invalidate();
    this.renderer.resize(...size);
    const isFirst = this.renderer.accumulated === 0;
    this.renderer.draw(this.frame());
    if (isFirst) {
      this.overlay.draw(this, width, height, this.ratio);
      this.frameTimes.push(performance.now() - start);
    }
    if (!this.renderer.isSettled) this.requestFrame();
  }

  /** Returns the position of a world point on the stage, in pixels of the page. */
  project(point, width = this.stage.clientWidth, height = this.stage.clientHeight) {
    const { right, up } = this.camera.axes();
    const offset = subtract(point, this.camera.target);
    const scale = height / this.camera.height;
    return [width / 2 + dot(offset, right) * scale, height / 2 - dot(offset, up) * scale];
  }

  /** Returns the nearest point of a surface or a slice at a position of the stage, or `null`. */
  pick(x, y) {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const pixel = [x * this.ratio, (height - y) * this.ratio].map(Math.floor);
    const depth = this.renderer.depthAt(this.frame(), ...pixel);
    if (depth === null) return null;
    const { right, up, viewer } = this.camera.axes();
    const scale = this.camera.height / height;
    const along = [(x - width / 2) * scale, (height / 2 - y) * scale, (1 - 2 * depth) * this.camera.depth];
    return [right, up, viewer].reduce((point, axis, k) => add(point, scaled(axis, along[k])), this.camera.target);
  }

  toggleMeasuring() {
    this.measurement = { on: !this.measurement.on, points: [] };
    this.canvas.classList.toggle("measuring", this.measurement.on);
    this.hint(this.measurement.on ? "Click two points" : null);
  }

  measureAt(x, y) {
    const point = this.pick(x, y);
    if (point) {
      const { points } = this.measurement;
      this.measurement.points = points.length === 2 ? [point] : [...points, point];
      this.hint(null);
    }
    this.changed();
  }

  hint(text) {
    const hint = document.getElementById("hint");
    hint.hidden = text === null;
    hint.textContent = text ?? "";
  }

  /** Draws all frames of the average, and returns the scene and what is over it as one canvas. */
  picture() {
    this.renderer.invalidate();
    while (!this.renderer.isSettled) this.renderer.draw(this.frame());
    const canvas = element("canvas", { width: this.renderer.width, height: this.renderer.height });
    const context = canvas.getContext("2d");
    context.drawImage(this.canvas, 0, 0);
    context.drawImage(this.overlay.canvas, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  savePicture() {
    const url = this.picture().toDataURL("image/png");
    const name = `${this.scene.title.replace(/[^\w.-]+/g, "-")}.png`;
    if (!isSandboxed()) {
      element("a", { href: url, download: name }).click();
      return;
    }
    // A sandboxed frame may not save files itself.
    const dialog = document.getElementById("picture");
    dialog.replaceChildren(
      element("p", { textContent: "Save the picture with the menu of the right mouse button." }),
      element("img", { src: url, alt: this.scene.title }),
      element("p", {}, element("button", { type: "button", textContent: "Close", onclick: () => dialog.close() })),
    );
    dialog.showModal();
  }

  listen() {
    const { canvas, camera } = this;
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus();
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      moved = 0;
      canvas.classList.add("dragging");
    });
    canvas.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = [event.offsetX, event.offsetY];
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      moved += Math.hypot(dx, dy);
      const height = this.stage.clientHeight;
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const [from, to] = [before, now].map(at => Math.hypot(at[0] - other[0], at[1] - other[1]));
        camera.pan(dx / 2 / height, dy / 2 / height);
        if (from > 0 && to > 0) camera.zoom(from / to);
      } else if (event.shiftKey || event.buttons & 6) {
        camera.pan(dx / height, dy / height);
      } else {
        camera.orbit(dx * 0.4, dy * 0.4);
      }
      pointers.set(event.pointerId, now);
      this.changed();
    });
    const end = event => {
      if (!pointers.delete(event.pointerId)) return;
      if (pointers.size === 0) canvas.classList.remove("dragging");
      if (event.type === "pointerup" && moved < 4 && this.measurement.on) this.measureAt(event.offsetX, event.offsetY);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const { clientWidth: width, clientHeight: height } = this.stage;
      const pixels = event.deltaMode === 1 ? 30 * event.deltaY : event.deltaY;
      camera.zoom(Math.exp(pixels * 0.0012), (event.offsetX - width / 2) / height, (height / 2 - event.offsetY) / height);
      this.changed();
    }, { passive: false });
    addEventListener("keydown", event => {
      const isText = /^(text|search)$/.test(event.target.type ?? "");
      if (event.ctrlKey || event.metaKey || event.altKey || isText || document.querySelector("dialog[open]")) return;
      const isSlider = event.target.type === "range" && event.key.startsWith("Arrow");
      const action = this.actions.find(({ keys }) => keys.includes(event.key));
      if (!action || isSlider) return;
      event.preventDefault();
      this.perform(action, event.key);
    });
    document.getElementById("panel-button").addEventListener("click", () => {
      document.body.classList.toggle("no-panel");
      this.changed();
    });
    new ResizeObserver(() => {
      if (camera.isFitted) this.fit();
      this.changed();
    }).observe(this.stage);
    canvas.addEventListener("webglcontextlost", event => {
      event.preventDefault();
      showMessage("The graphics driver stopped. Reload the page.");
    });
  }
}

/** Returns `true` in a sandboxed frame, which may not save files. */
function isSandboxed() {
  try {
    return !window.localStorage;
  } catch {
    return true;
  }
}

function showMessage(text) {
  const message = document.getElementById("message");
  message.hidden = false;
  message.textContent = text;
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    showMessage("This page needs a browser from 2023 or later (DecompressionStream).");
    return;
  }
  const scene = JSON.parse(document.getElementById("scene").textContent);
  try {
    window.viewer = new View(scene);
  } catch (error) {
    const needsGraphics = error.message === "WebGL 2";
    showMessage(needsGraphics ? "This page needs WebGL 2. Enable hardware acceleration, or use another browser." : `The page cannot be shown: ${error.message}`);
    return;
  }
  window.viewer.listen();
  await window.viewer.load();
}

start().catch(error => showMessage(`The page cannot be shown: ${error.message}`));

// Vectors, matrices by columns, and an orthographic camera that orbits around the z axis.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const distance = (a, b) => Math.hypot(...subtract(a, b));

/** Applies an affine matrix to a point. */
const transform = (m, p) => [0, 1, 2].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);

/** Returns the inverse of an affine matrix. */
function inverseAffine(m) {
  const [a, b, c] = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
  const determinant = dot(a, cross(b, c));
  const rows = [cross(b, c), cross(c, a), cross(a, b)].map(row => scaled(row, 1 / determinant));
  const origin = m.slice(12, 15);
  return [
    ...[0, 1, 2].flatMap(k => [rows[0][k], rows[1][k], rows[2][k], 0]),
    ...rows.map(row => -dot(row, origin)), 1,
  ];
}

/** Named views: azimuth and elevation in degrees, as of the command `ferrovox render`. */
const VIEWS = { front: [90, 0], back: [270, 0], left: [180, 0], right: [0, 0], top: [90, 90], bottom: [90, -90] };
const OBLIQUE = [50, 25];
/** Fraction of the view that an object fills. */
const FILL = 0.9;

class Camera {
  constructor() {
    [this.azimuth, this.elevation] = OBLIQUE;
    this.target = [0, 0, 0];
    /** World units along the height of the view. */
    this.height = 1;
    /** Half of the depth that is visible. */
    this.depth = 1;
    /** `true` until the user moves or zooms: then a new size of the window changes nothing. */
    this.isFitted = false;
  }

  /** Returns unit vectors to the right, upwards and towards the viewer. */
  axes() {
    const [azimuth, elevation] = [this.azimuth, this.elevation].map(angle => angle * Math.PI / 180);
    const viewer = [
      Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation),
    ];
    const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
    return { right, up: cross(viewer, right), viewer };
  }

  /** Returns the matrix from the world to clip coordinates; `shift` is in clip coordinates. */
  toClip(aspect, shift) {
    const { right, up, viewer } = this.axes();
    const rows = [
      scaled(right, 2 / (this.height * aspect)), scaled(up, 2 / this.height), scaled(viewer, -1 / this.depth),
    ];
    const origin = rows.map(row => -dot(row, this.target));
    return new Float32Array([
      ...[0, 1, 2].flatMap(k => [rows[0][k], rows[1][k], rows[2][k], 0]),
      origin[0] + shift[0], origin[1] + shift[1], origin[2], 1,
    ]);
  }

  /** Makes points fill the view. */
  fit(points, aspect) {
    const { right, up, viewer } = this.axes();
    const ranges = [right, up, viewer].map(axis => {
      let low = Infinity, high = -Infinity;
      for (const point of points) {
        const along = dot(axis, point);
        low = Math.min(low, along);
        high = Math.max(high, along);
      }
      return points.length ? [low, high] : [-1, 1];
    });
    const middle = ranges.map(([low, high]) => (low + high) / 2);
    this.target = add(add(scaled(right, middle[0]), scaled(up, middle[1])), scaled(viewer, middle[2]));
    const [width, height] = ranges.map(([low, high]) => high - low);
    this.height = Math.max(height, width / aspect, 1e-9) / FILL;
    this.isFitted = true;
  }

  orbit(dx, dy) {
    this.azimuth = (this.azimuth - dx) % 360;
    this.elevation = Math.max(-90, Math.min(90, this.elevation + dy));
  }

  /** Moves by fractions of the view's height. */
  pan(dx, dy) {
    this.isFitted = false;
    const { right, up } = this.axes();
    this.target = add(this.target, add(scaled(right, -dx * this.height), scaled(up, dy * this.height)));
  }

  /** Zooms around a point of the view, given from its centre in fractions of its height. */
  zoom(factor, x = 0, y = 0) {
    this.isFitted = false;
    const height = Math.max(this.depth * 1e-5, Math.min(this.depth * 20, this.height * factor));
    const moved = this.height - height;
    const { right, up } = this.axes();
    this.target = add(this.target, add(scaled(right, x * moved), scaled(up, y * moved)));
    this.height = height;
  }
}

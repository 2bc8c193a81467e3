// Scale bar, directions, colour bars and measurements, drawn over the scene.

/** Formats a number with three significant digits. */
function format(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

const withUnit = (text, unit) => unit ? `${text} ${unit}` : text;

class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  draw(view, width, height, ratio) {
    const context = this.context;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    context.lineJoin = "round";
    this.colors = view.overlayColors;
    this.drawScaleBar(view, height);
    this.drawDirections(view, width, height);
    this.drawColorBars(view, height);
    this.drawMeasurement(view, width, height);
  }

  /** Draws text with an outline in the colour of the background. */
  text(text, x, y, align = "left", color = this.colors.text) {
    const context = this.context;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.strokeStyle = this.colors.background;
    context.lineWidth = 4;
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  line(points, color, width) {
    const context = this.context;
    context.beginPath();
    points.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }

  drawScaleBar({ camera, scene }, height) {
    const perPixel = camera.height / height;
    const longest = 140 * perPixel;
    const power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].map(k => k * power).find(candidate => candidate <= longest);
    const [x, y, pixels] = [18, height - 22, length / perPixel];
    const bar = [[x, y - 5], [x, y], [x + pixels, y], [x + pixels, y - 5]];
    this.line(bar, this.colors.background, 4);
    this.line(bar, this.colors.text, 1.5);
    this.text(withUnit(format(length), scene.unit), x + pixels / 2, y - 13, "center");
  }

  drawDirections({ camera, scene }, width, height) {
    const size = 34;
    const center = [width - size - 24, height - size - 30];
    const { right, up, viewer } = camera.axes();
    const ends = [0, 1, 2].flatMap(axis => [-1, 1].map(sign => {
      const at = [right, up, viewer].map(direction => sign * direction[axis]);
      const letter = scene.letters[axis][(sign + 1) / 2];
      return { at, letter, axis, sign };
    }));
    ends.sort((a, b) => a.at[2] - b.at[2]);
    const axisColors = this.colors.axes;
    for (const { at, letter, axis, sign } of ends) {
      const [x, y] = [center[0] + size * at[0], center[1] - size * at[1]];
      const isNamed = scene.letters[0][0].length === 1;
      if (!isNamed && sign < 0) continue;
      const context = this.context;
      context.globalAlpha = at[2] < -0.3 ? 0.45 : 1;
      this.line([center, [x, y]], axisColors[axis], 2);
      const beyond = 1 + 11 / Math.max(Math.hypot(at[0], at[1]) * size, 11);
      this.text(letter, center[0] + (x - center[0]) * beyond, center[1] + (y - center[1]) * beyond, "center", axisColors[axis]);
      context.globalAlpha = 1;
    }
  }

  drawColorBars(view, height) {
    const { scene, radii } = view;
    const bars = [];
    if (scene.items.some(item => item.kind === "skeleton" && item.visible && item.points)) {
      bars.push({ title: withUnit("Radius", scene.unit && `(${scene.unit})`), range: radii, map: 0 });
    }
    for (const item of scene.items) {
      if (item.kind === "volume" && item.visible && item.colors === "map") {
        bars.push({ title: withUnit("Distance", scene.unit && `(${scene.unit})`), range: item.window, map: 1, contour: item.contours[0] });
      }
    }
    const context = this.context;
    const length = Math.max(80, Math.min(200, height * 0.3));
    bars.forEach(({ title, range, map, contour }, k) => {
      const [x, top] = [18, 42 + k * (length + 50)];
      for (let i = 0; i < length; i++) {
        context.fillStyle = `rgb(${mapColor(map, 1 - i / (length - 1))})`;
        context.fillRect(x, top + i, 14, 1.5);
      }
      context.strokeStyle = this.colors.text;
      context.lineWidth = 1;
      context.strokeRect(x - 0.5, top - 0.5, 15, length + 1);
      this.text(title, x, top - 16);
      const ticks = [0, 0.5, 1].map(part => range[0] + part * (range[1] - range[0]));
      for (const value of ticks) {
        const y = top + length * (1 - (value - range[0]) / (range[1] - range[0] || 1));
        this.line([[x + 14, y], [x + 18, y]], this.colors.text, 1);
        this.text(format(value), x + 23, y);
      }
      if (contour !== undefined && contour > range[0] && contour < range[1]) {
        const y = top + length * (1 - (contour - range[0]) / (range[1] - range[0]));
        this.line([[x, y], [x + 14, y]], "#fff", 2);
      }
    });
  }

  drawMeasurement(view, width, height) {
    const { measurement, scene } = view;
    const points = measurement.points.map(point => view.project(point, width, height));
    if (points.length === 2) {
      this.line(points, this.colors.background, 5);
      this.line(points, this.colors.accent, 2);
    }
    const context = this.context;
    for (const [x, y] of points) {
      context.beginPath();
      context.arc(x, y, 4, 0, 2 * Math.PI);
      context.fillStyle = this.colors.accent;
      context.strokeStyle = this.colors.background;
      context.lineWidth = 2;
      context.fill();
      context.stroke();
    }
    if (points.length === 2) {
      const [a, b] = points;
      const text = withUnit(format(distance(...measurement.points)), scene.unit);
      context.save();
      context.font = `600 14px ${context.font.slice(context.font.indexOf("px") + 3)}`;
      this.text(text, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 16, "center", this.colors.accent);
      context.restore();
    }
  }
}

#version 300 es
// Quadrilateral around a segment of a curve, wide enough for its round ends.
layout(location = 0) in vec4 start;
layout(location = 1) in vec4 end;
uniform mat4 toClip;
uniform vec2 viewport;
uniform float width;
out vec2 along;
out float span;
out float value;
out vec3 world;

void main() {
  float side = float(gl_VertexID & 1) * 2.0 - 1.0;
  float part = float(gl_VertexID >> 1);
  vec4 from = toClip * vec4(start.xyz, 1.0);
  vec4 to = toClip * vec4(end.xyz, 1.0);
  vec2 step = (to.xy - from.xy) * viewport * 0.5;
  span = length(step);
  vec2 direction = span > 1e-4 ? step / span : vec2(1.0, 0.0);
  float half_width = 0.5 * width;
  vec2 offset = direction * (part * 2.0 - 1.0) * (half_width + 1.0)
    + vec2(-direction.y, direction.x) * side * (half_width + 1.0);
  vec4 position = mix(from, to, part);
  along = vec2(part * span + (part * 2.0 - 1.0) * (half_width + 1.0), side * (half_width + 1.0));
  value = mix(start.w, end.w, part);
  world = mix(start.xyz, end.xyz, part);
  gl_Position = position + vec4(offset * 2.0 / viewport, 0.0, 0.0);
}

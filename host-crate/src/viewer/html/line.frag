#version 300 es
// A curve with round ends, coloured by radius and shaded across its width.
precision highp float;
in vec2 along;
in float span;
in float value;
in vec3 world;
uniform float width;
uniform vec2 range;
uniform vec4 clipPlane;
uniform sampler2D colors;
out vec4 fragment;

void main() {
  if (dot(clipPlane.xyz, world) > clipPlane.w) discard;
  vec2 offset = vec2(along.x - clamp(along.x, 0.0, span), along.y);
  float distance = length(offset) / (0.5 * width);
  if (distance > 1.0) discard;
  float part = range.y > range.x ? (value - range.x) / (range.y - range.x) : 0.5;
  vec3 color = texture(colors, vec2(clamp(part, 0.0, 1.0) * 0.996 + 0.002, 0.25)).rgb;
  color *= 1.0 - 0.45 * distance * distance;
  fragment = vec4(color, 1.0);
}

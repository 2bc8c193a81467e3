#version 300 es
// Samples on a slice, and the contour of the isovalue.
precision highp float;
precision highp int;
precision highp sampler3D;
in highp vec3 coordinates;
in vec3 world;
uniform sampler3D samples;
uniform sampler3D region;
uniform sampler2D plane;
uniform vec3 dims;
uniform int planeAxis;
uniform sampler2D colors;
uniform bool isMap;
uniform vec2 window;
uniform float contour;
uniform bool hasContour;
uniform vec3 contourColor;
uniform float lineWidth;
uniform vec4 clipPlane;
// Apex and directions of the corner that is cut away, on whose faces the slices are shown.
uniform vec4 cutApex;
uniform vec3 cutSigns;
uniform int pass;
out vec4 fragment;

vec4 packDepth(float depth) {
  vec3 parts = fract(depth * vec3(1.0, 255.0, 65025.0));
  return vec4(parts - parts.yzz * vec3(1.0 / 255.0, 1.0 / 255.0, 0.0), 1.0);
}

void main() {
  if (dot(clipPlane.xyz, world) > clipPlane.w) discard;
  if (cutApex.w > 0.5) {
    vec3 inside = (coordinates * dims - 0.5 - cutApex.xyz) * cutSigns;
    if (min(inside.x, min(inside.y, inside.z)) < -0.01) discard;
  }
  float code = texture(samples, coordinates).r;
  if (planeAxis == 0) code = texture(plane, coordinates.yz).r;
  if (planeAxis == 1) code = texture(plane, coordinates.xz).r;
  if (planeAxis == 2) code = texture(plane, coordinates.xy).r;
  bool isObject = texture(region, coordinates).r > 0.5;
  float value = mix(window.x, window.y, code);
  float line = 0.0;
  if (hasContour) {
    float slope = fwidth(value);
    float away = abs(value - contour) / max(slope, 1e-9);
    line = slope > 0.0 ? 1.0 - smoothstep(0.5 * lineWidth - 0.5, 0.5 * lineWidth + 0.5, away) : 0.0;
  }
  if (!isObject && line < 0.5) discard;
  if (pass == 2) { fragment = packDepth(gl_FragCoord.z); return; }
  vec3 color = vec3(code);
  if (isMap) color = texture(colors, vec2(code * 0.996 + 0.002, 0.75)).rgb;
  fragment = vec4(mix(color, contourColor, line), 1.0);
}

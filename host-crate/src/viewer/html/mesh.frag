#version 300 es
// Shading of a surface, its layers for transparency, and depths for measurements.
precision highp float;
precision highp int;
in vec3 world;
in vec3 normal;
uniform vec3 color;
uniform float opacity;
uniform vec3 right;
uniform vec3 up;
uniform vec3 viewer;
uniform vec4 clipPlane;
// Corner that is cut away: its apex and three directions in slice coordinates; w of the apex is 1
// if there is one.
uniform vec4 cutApex;
uniform vec3 cutSigns;
uniform mat4 toSlices;
// 0: opaque, 1: layer behind `before` and in front of `opaqueDepth`, 2: depth
uniform int pass;
uniform bool hidesBack;
uniform sampler2D opaqueDepth;
uniform sampler2D before;
out vec4 fragment;

vec4 packDepth(float depth) {
  vec3 parts = fract(depth * vec3(1.0, 255.0, 65025.0));
  return vec4(parts - parts.yzz * vec3(1.0 / 255.0, 1.0 / 255.0, 0.0), 1.0);
}

void main() {
  if (dot(clipPlane.xyz, world) > clipPlane.w) discard;
  if (cutApex.w > 0.5) {
    vec3 inside = ((toSlices * vec4(world, 1.0)).xyz - cutApex.xyz) * cutSigns;
    if (min(inside.x, min(inside.y, inside.z)) > 0.0) discard;
  }
  if (hidesBack && !gl_FrontFacing) discard;
  float depth = gl_FragCoord.z;
  if (pass == 2) { fragment = packDepth(depth); return; }
  if (pass == 1) {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (depth >= texelFetch(opaqueDepth, pixel, 0).r) discard;
    if (depth <= texelFetch(before, pixel, 0).r) discard;
  }
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  vec3 key = normalize(0.62 * viewer + 0.62 * up - 0.48 * right);
  float facing = max(dot(n, viewer), 0.0);
  float highlight = pow(max(dot(n, normalize(key + viewer)), 0.0), 32.0);
  float diffuse = 0.05 + 0.70 * max(dot(n, key), 0.0) + 0.22 * (0.5 + 0.5 * dot(n, up)) + 0.34 * facing;
  vec3 linear = color * color;
  vec3 lit = gl_FrontFacing ? linear * diffuse + 0.10 * highlight : linear * (0.25 + 0.3 * facing);
  float alpha = opacity;
  if (pass == 1) {
    // Surfaces seen at a grazing angle are longer along the ray.
    alpha = 1.0 - pow(1.0 - opacity, 1.0 / max(abs(dot(n, viewer)), 0.35));
  }
  fragment = vec4(sqrt(clamp(lit, 0.0, 1.0)) * alpha, alpha);
}

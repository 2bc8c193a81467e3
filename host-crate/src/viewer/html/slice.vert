#version 300 es
// Corner of a slice, given in sample indices.
layout(location = 0) in vec3 corner;
uniform mat4 toClip;
uniform mat4 toWorld;
uniform vec3 dims;
out vec3 coordinates;
out vec3 world;

void main() {
  vec4 position = toWorld * vec4(corner, 1.0);
  world = position.xyz;
  coordinates = (corner + 0.5) / dims;
  gl_Position = toClip * position;
}

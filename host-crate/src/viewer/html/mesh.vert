#version 300 es
// Vertices of a surface: 16-bit positions, octahedral normals.
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 octahedral;
uniform mat4 toClip;
uniform vec3 low;
uniform vec3 size;
out vec3 world;
out vec3 normal;

void main() {
  world = low + position * size;
  vec2 folded = octahedral * 2.0 - 1.0;
  vec3 direction = vec3(folded, 1.0 - abs(folded.x) - abs(folded.y));
  float fold = max(-direction.z, 0.0);
  direction.x -= direction.x < 0.0 ? -fold : fold;
  direction.y -= direction.y < 0.0 ? -fold : fold;
  normal = direction;
  gl_Position = toClip * vec4(world, 1.0);
}

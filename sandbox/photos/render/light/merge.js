// Merges a scene's static meshes by material: dozens of draw calls per frame instead of thousands.
import { BufferAttribute, Mesh } from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

function baked(mesh) {
  const geometry = mesh.geometry.clone().applyMatrix4(mesh.matrixWorld);
  for (const name of Object.keys(geometry.attributes)) {
    if (!['position', 'normal', 'uv'].includes(name)) geometry.deleteAttribute(name);
  }
  if (!geometry.index) {
    geometry.setIndex(
      new BufferAttribute(
        Uint32Array.from({ length: geometry.attributes.position.count }, (_, i) => i),
        1,
      ),
    );
  }
  return geometry;
}

/** Replaces the opaque meshes of `scene`, except `kept` ones, by one mesh for each material and shadow setting. */
export function mergeStatic(scene, kept) {
  scene.updateMatrixWorld(true);
  const groups = new Map();
  scene.traverse(object => {
    const { material } = object;
    if (
      !object.isMesh ||
      object.isInstancedMesh ||
      kept.has(object) ||
      material.isShaderMaterial ||
      material.transparent
    )
      return;
    const key = `${material.uuid} ${object.castShadow} ${object.receiveShadow}`;
    groups.set(key, [...(groups.get(key) ?? []), object]);
  });
  for (const meshes of groups.values()) {
    if (meshes.length < 2) continue;
    const merged = new Mesh(mergeGeometries(meshes.map(baked)), meshes[0].material);
    merged.castShadow = meshes[0].castShadow;
    merged.receiveShadow = meshes[0].receiveShadow;
    for (const mesh of meshes) mesh.removeFromParent();
    scene.add(merged);
  }
}

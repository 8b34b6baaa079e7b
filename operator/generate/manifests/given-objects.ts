import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';

/**
 * The file names of objects without their extension, such as `cluster-role-reader`. Two objects
 * that differ only in their namespaces or groups have different names as well.
 *
 * @throws ConfigurationError `CONFIG` when an object occurs twice.
 */
export function objectFileNames(
  objects: readonly KubernetesObject[],
): readonly (readonly [name: string, object: KubernetesObject])[] {
  const identities = new Set<string>();
  const taken = new Set<string>();
  return objects.map((object) => {
    const { apiVersion, kind, metadata } = object;
    const identity = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name]);
    if (identities.has(identity)) {
      throw new ConfigurationError(`--resource has ${kind} ${metadata.name} twice`);
    }
    identities.add(identity);
    const words = `${kind.replace(/(?<=[a-z])[A-Z]/g, '-$&')}-${metadata.name}`;
    const plain = words.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
    let name = plain;
    for (let at = 2; taken.has(name); at += 1) name = `${plain}-${at}`;
    taken.add(name);
    return [name, object] as const;
  });
}

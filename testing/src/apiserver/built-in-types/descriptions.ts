import { readFileSync } from 'node:fs';

/**
 * The descriptions of the fields of a type, keyed by name. The description of the type itself has the key ''.
 */
export type Descriptions = Readonly<Record<string, string>>;

let descriptions: Readonly<Record<string, Descriptions>> | undefined;

/**
 * The descriptions of a built-in type in Kubernetes, which `kubectl explain` prints. They are read when first
 * requested, because most servers in tests never need them.
 *
 * @param name - the name of the type, such as `io.k8s.api.core.v1.ConfigMap`. The result is empty for a type
 * without descriptions.
 */
export function descriptionsOf(name: string): Descriptions {
  descriptions ??= JSON.parse(
    readFileSync(new URL('descriptions.json', import.meta.url), 'utf8'),
  ) as Readonly<Record<string, Descriptions>>;
  return descriptions[name] ?? {};
}

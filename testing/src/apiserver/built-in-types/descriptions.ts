import { readFileSync } from 'node:fs';

/** What a type means, as '', and what its fields mean. */
export type Descriptions = Readonly<Record<string, string>>;

let descriptions: Readonly<Record<string, Descriptions>> | undefined;

/**
 * Kubernetes' own sentences about a built-in type: what `kubectl explain` shows. They are read when they are first asked
 * for, which most servers of tests never are.
 *
 * @param name - such as `io.k8s.api.core.v1.ConfigMap`; empty for a type without sentences.
 */
export function descriptionsOf(name: string): Descriptions {
  descriptions ??= JSON.parse(
    readFileSync(new URL('descriptions.json', import.meta.url), 'utf8'),
  ) as Readonly<Record<string, Descriptions>>;
  return descriptions[name] ?? {};
}

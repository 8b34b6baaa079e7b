/** An orchard: two ConfigMaps, and a status that counts what is there. */
import type { HookObject, ObjectsByKey } from './pods.ts';

interface Request {
  readonly parent: HookObject & { readonly spec: { readonly trees: number } };
  readonly children: { readonly 'ConfigMap.v1': ObjectsByKey };
}

export function sync({ parent, children }: Request): object {
  const { name } = parent.metadata;
  const { trees } = parent.spec;
  return {
    status: { planted: Object.keys(children['ConfigMap.v1']).length, trees },
    children: ['plan', 'rows'].map((part) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-${part}`, labels: { part } },
      data: { trees: String(trees), large: '9007199254740993' },
    })),
  };
}

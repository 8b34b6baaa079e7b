import type { ExpressionNode } from './expression-tree.ts';

/** Methods of the type `bytes` that exist in the library but not in Kubernetes. */
const OF_BYTES: ReadonlySet<string> = new Set(['at', 'base64', 'hex', 'json', 'string']);

interface Placed {
  readonly start?: number;
  readonly end?: number;
}

/**
 * Refuses functions of the library that the Kubernetes environment lacks (pkg/cel/environment/base.go):
 * `cel.bind`, because Kubernetes does not include `ext.Bindings`, and methods of the type `bytes`. The
 * expression must have been checked before this call.
 *
 * @throws Error like the library's error for an undeclared name.
 */
export function refuseForeign(nodes: readonly ExpressionNode[]): void {
  for (const { op, args } of nodes) {
    if (op !== 'rcall') continue;
    const [name, target] = args as readonly [string, ExpressionNode];
    if (target.op === 'id' && target.args === 'cel') throw undeclared('cel', target);
    const isOfBytes = target.checkedType?.name === 'bytes' && OF_BYTES.has(name);
    if (isOfBytes) throw undeclared(name, target);
  }
}

function undeclared(name: string, at: ExpressionNode): Error {
  const { start = 0, end = 0 } = at as Placed;
  return Object.assign(new Error(`Unknown variable: ${name}`), {
    code: 'unknown_variable',
    summary: `Unknown variable: ${name}`,
    range: name === 'cel' ? { start, end } : { start: end, end },
  });
}

import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import type { Container } from './container.ts';

/**
 * Runs a program of `inside/` in the operator's container, by the Node that is there: `kubectl exec`
 * for an image without a shell.
 *
 * @returns what it prints.
 */
export async function inOperator(
  operator: Container,
  program: 'look-around' | 'send-all' | 'dial',
  args: readonly string[] = [],
  uid?: number,
): Promise<string> {
  const source = await readFile(new URL(`../inside/${program}.ts`, import.meta.url), 'utf8');
  const node = operator.plan.argv.find((word) => word.endsWith('/node')) ?? '';
  const code = stripTypeScriptTypes(source);
  return operator.exec([node, '--input-type=module', '-e', code, '--', ...args], uid);
}

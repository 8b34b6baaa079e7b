import { basename, dirname } from 'node:path';
import type { OperatorProgram } from '../../generate/manifests/manifests-options.ts';
import type { Declaring } from '../declarations/declaring.ts';
import { mountedFolder } from './folder-files.ts';

/** The folder that the manifests mount. Undefined when they mount none. */
export function sourceFolder(declaring: Declaring): string | undefined {
  switch (declaring.from) {
    case 'modules':
      return undefined;
    case 'hooks':
      return declaring.dir;
    case 'metacontroller':
      return declaring.functions === undefined ? undefined : dirname(declaring.functions);
  }
}

/**
 * The program that the operator's container runs in place of modules, with its files.
 *
 * @param output - the folder of the manifests.
 * @throws ConfigurationError `CONFIG` for files that a ConfigMap cannot contain.
 */
export async function programOf(
  declaring: Declaring,
  output: string,
): Promise<OperatorProgram | undefined> {
  if (declaring.from === 'modules') return undefined;
  const source = sourceFolder(declaring);
  const mount = declaring.from === 'hooks' ? 'hooks' : 'functions';
  return {
    words: wordsOf(declaring),
    sharesDefinitions: declaring.from === 'metacontroller',
    ...(source !== undefined && { folder: await mountedFolder(mount, source, output) }),
  };
}

function wordsOf(declaring: Exclude<Declaring, { readonly from: 'modules' }>): readonly string[] {
  if (declaring.from === 'hooks') return ['hooks', '/hooks'];
  const { functions } = declaring;
  const file = functions === undefined ? [] : [`--functions=/functions/${basename(functions)}`];
  return ['metacontroller', ...file, ...declaring.args];
}

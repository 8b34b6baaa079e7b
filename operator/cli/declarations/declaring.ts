import type { Declared } from '../../controller/access-declaration.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** What rights and manifests follow from. */
export type Generating = Declared & { readonly needsLeaderElection?: boolean };

/** The flags that say what declares rights, for `parseFlags`. */
export const DECLARING_FLAGS = {
  crd: { type: 'string', multiple: true },
  'from-metacontroller': { type: 'string', multiple: true },
  functions: { type: 'string' },
  hooks: { type: 'string' },
} as const;

/** The values of these flags. */
interface DeclaringValues {
  readonly crd?: readonly string[] | undefined;
  readonly 'from-metacontroller'?: readonly string[] | undefined;
  readonly functions?: string | undefined;
  readonly hooks?: string | undefined;
}

/** What declares rights, as a command line says it. */
export type Declaring =
  | {
      readonly from: 'modules';
      /** Paths as given, at least one. */
      readonly modules: readonly string[];
      /** Words after `--`. */
      readonly moduleArgs: readonly string[];
    }
  | {
      readonly from: 'hooks';
      readonly dir: string;
      /** Files with the definitions of kinds. Undefined: the default of `chancery hooks`. */
      readonly crds: readonly string[] | undefined;
    }
  | {
      readonly from: 'metacontroller';
      /** Files or folders with the controllers; `-` is standard input. */
      readonly files: readonly string[];
      /** Programs and modules in place of webhooks. */
      readonly functions: string | undefined;
      readonly crds: readonly string[];
      /** Words after `--`, for `chancery metacontroller`. */
      readonly args: readonly string[];
    };

/**
 * @param modules - the words that are no options.
 * @param moduleArgs - words after `--`.
 * @throws ConfigurationError `CONFIG` unless exactly one of modules, hooks and controllers is given.
 */
export function declaringOf(
  values: DeclaringValues,
  modules: readonly string[],
  moduleArgs: readonly string[],
): Declaring {
  const { crd: crds, hooks, functions, 'from-metacontroller': files } = values;
  if (hooks === '') throw new ConfigurationError('--hooks must name a folder');
  if (hooks !== undefined && files !== undefined) {
    throw new ConfigurationError('expected --hooks or --from-metacontroller; got both');
  }
  if (functions !== undefined && files === undefined) {
    const message = '--functions is for controllers, and --from-metacontroller is not given';
    throw new ConfigurationError(message);
  }
  const option = hooks === undefined ? '--from-metacontroller' : '--hooks';
  if (hooks === undefined && files === undefined) {
    return declaringModules(crds, modules, moduleArgs);
  }
  if (modules.length > 0 || (files === undefined && moduleArgs.length > 0)) {
    const message = `${option} stands in place of modules and their arguments; got both`;
    throw new ConfigurationError(message);
  }
  if (files !== undefined) {
    return { from: 'metacontroller', files, functions, crds: crds ?? [], args: moduleArgs };
  }
  return { from: 'hooks', dir: hooks ?? '', crds };
}

function declaringModules(
  crds: readonly string[] | undefined,
  modules: readonly string[],
  moduleArgs: readonly string[],
): Declaring {
  if (crds !== undefined) {
    throw new ConfigurationError(
      '--crd is for --hooks and --from-metacontroller, and neither is given',
    );
  }
  if (modules.length > 0) return { from: 'modules', modules, moduleArgs };
  throw new ConfigurationError(
    'expected at least one MODULE, such as operator.ts, or --hooks DIR, or --from-metacontroller FILE; got none',
  );
}

/** As words of the command line. */
export function declaringWords(declaring: Declaring): readonly string[] {
  switch (declaring.from) {
    case 'modules':
      return declaring.modules;
    case 'hooks':
      return ['--hooks', declaring.dir];
    case 'metacontroller': {
      const { files, functions } = declaring;
      const named = files.flatMap((file) => ['--from-metacontroller', file]);
      return functions === undefined ? named : [...named, '--functions', functions];
    }
  }
}

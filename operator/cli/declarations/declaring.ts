import type { Declared } from '../../controller/access-declaration.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** A declaration from which rights and manifests are generated. */
export type Generating = Declared & { readonly needsLeaderElection?: boolean };

/** The options that choose the declarations. They are in the tables of `generate` and `check`. */
interface DeclaringValues {
  readonly crd: readonly string[];
  readonly fromMetacontroller: readonly string[];
  readonly functions: string | undefined;
  readonly hooks: string | undefined;
}

/** The source of the declarations on a command line. */
export type Declaring =
  | {
      readonly from: 'modules';
      /** Paths on the command line, at least one. */
      readonly modules: readonly string[];
      /** Arguments after `--`. */
      readonly moduleArgs: readonly string[];
    }
  | {
      readonly from: 'hooks';
      readonly dir: string;
      /**
       * Files with the definitions of kinds. If undefined, the default of `chancery hooks` applies.
       */
      readonly crds: readonly string[] | undefined;
    }
  | {
      readonly from: 'metacontroller';
      /** Files or folders with the controllers. `-` stands for standard input. */
      readonly files: readonly string[];
      /** The file of `--functions`, with the programs and modules that replace webhooks. */
      readonly functions: string | undefined;
      readonly crds: readonly string[];
      /** Arguments after `--`, for `chancery metacontroller`. */
      readonly args: readonly string[];
    };

/**
 * The source of the declarations.
 *
 * @param modules - the arguments that are not options.
 * @param moduleArgs - the arguments after `--`.
 * @throws ConfigurationError `CONFIG` unless exactly one of modules, hooks and controllers is
 * given.
 */
export function declaringOf(
  values: DeclaringValues,
  modules: readonly string[],
  moduleArgs: readonly string[],
): Declaring {
  const { crd: crds, hooks, functions, fromMetacontroller } = values;
  const files = fromMetacontroller.length > 0 ? fromMetacontroller : undefined;
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
    return { from: 'metacontroller', files, functions, crds, args: moduleArgs };
  }
  return { from: 'hooks', dir: hooks ?? '', crds: crds.length > 0 ? crds : undefined };
}

function declaringModules(
  crds: readonly string[],
  modules: readonly string[],
  moduleArgs: readonly string[],
): Declaring {
  if (crds.length > 0) {
    throw new ConfigurationError(
      '--crd is for --hooks and --from-metacontroller, and neither is given',
    );
  }
  if (modules.length > 0) return { from: 'modules', modules, moduleArgs };
  throw new ConfigurationError(
    'expected at least one MODULE, such as operator.ts, or --hooks DIR, or --from-metacontroller FILE; got none',
  );
}

/** The source of the declarations, written as arguments of a command line. */
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

import { ConfigurationError } from '../../core/errors.ts';
import { namespaceFlag, parseFlags, portFlag } from '../flags.ts';
import { splitAtDashes } from '../load-modules.ts';

/** The command line of `chancery dev`. */
export interface DevArguments {
  /** Paths of modules as given; empty for the first of `DEFAULT_MODULES` that is there. */
  readonly modules: readonly string[];
  /** Words after `--`, for the modules. */
  readonly moduleArgs: readonly string[];
  /** Undefined: an embedded API server. */
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
  /** Files or folders of manifests, in the order given. */
  readonly samples: readonly string[];
  /** Undefined: that of the samples, else `default`. */
  readonly namespace: string | undefined;
  /** The operator watches every namespace. */
  readonly allNamespaces: boolean;
  /** Of the embedded API server; 0 for any free one. */
  readonly port: number;
  /** Where a debugger reaches the operator; undefined for no debugger. */
  readonly inspect: number | undefined;
  /** Write to `context` without asking. */
  readonly yes: boolean;
  /** This process is the operator that `chancery dev` has started. */
  readonly asOperator: boolean;
}

/** Where a project has its operator. */
export const DEFAULT_MODULES: readonly string[] = [
  'src/operator.ts',
  'operator.ts',
  'src/operator.js',
  'operator.js',
];

/** The port at which Node and its debuggers meet when none is named. */
const DEFAULT_INSPECT_PORT = '9229';

const OPTIONS = {
  'all-namespaces': { type: 'boolean', short: 'A' },
  'as-operator': { type: 'boolean' },
  context: { type: 'string' },
  inspect: { type: 'string' },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  port: { type: 'string', short: 'p' },
  samples: { type: 'string', multiple: true },
  yes: { type: 'boolean', short: 'y' },
} as const;

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseDevArguments(args: readonly string[]): DevArguments {
  // The port is optional, so it never is the next word: that is a module.
  const { own, rest: moduleArgs } = splitAtDashes(args);
  const plain = own.map((word) =>
    word === '--inspect' ? `${word}=${DEFAULT_INSPECT_PORT}` : word,
  );
  const { values, positionals } = parseFlags(plain, OPTIONS);
  const { context, kubeconfig, yes = false, 'all-namespaces': allNamespaces = false } = values;
  if (context === '')
    throw new ConfigurationError('--context must name a context of the kubeconfig');
  if (context === undefined && kubeconfig !== undefined) {
    throw new ConfigurationError('--kubeconfig is for --context, which is not given');
  }
  if (context === undefined && yes) {
    throw new ConfigurationError('--yes is for --context, which is not given');
  }
  if (context !== undefined && values.port !== undefined) {
    throw new ConfigurationError('--port is for the embedded API server; got --context, too');
  }
  return {
    modules: positionals,
    moduleArgs,
    context,
    kubeconfig,
    samples: values.samples ?? [],
    namespace: namespaceFlag(values.namespace),
    allNamespaces,
    port: portFlag('--port', values.port) ?? 0,
    inspect: portFlag('--inspect', values.inspect),
    yes,
    asOperator: values['as-operator'] === true,
  };
}

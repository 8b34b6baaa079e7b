import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import type { DEV } from './table.ts';

/** The parsed command line of `chancery dev`. */
export type DevArguments = GivenTo<typeof DEV>['values'] & {
  /**
   * Paths of modules on the command line. If empty, the first existing path in `DEFAULT_MODULES` is
   * used.
   */
  readonly modules: readonly string[];
  /** Arguments after `--`, for the modules. */
  readonly moduleArgs: readonly string[];
};

/** The paths at which a project usually has its operator. */
export const DEFAULT_MODULES: readonly string[] = [
  'src/operator.ts',
  'operator.ts',
  'src/operator.js',
  'operator.js',
];

/**
 * Parses the command line of `chancery dev`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function devArguments({
  values,
  words: modules,
  rest: moduleArgs,
}: GivenTo<typeof DEV>): DevArguments {
  const { context, kubeconfig, kubeconfigOut, yes, port } = values;
  if (context === '')
    throw new ConfigurationError('--context must name a context of the kubeconfig');
  if (context === undefined && kubeconfig !== undefined) {
    throw new ConfigurationError('--kubeconfig is for --context, which is not given');
  }
  if (context === undefined && yes) {
    throw new ConfigurationError('--yes is for --context, which is not given');
  }
  if (context !== undefined && port !== undefined) {
    throw new ConfigurationError('--port is for the embedded API server; got --context, too');
  }
  if (context !== undefined && kubeconfigOut !== undefined) {
    throw new ConfigurationError(
      '--kubeconfig-out is for the embedded API server; got --context, too',
    );
  }
  return { ...values, modules, moduleArgs };
}

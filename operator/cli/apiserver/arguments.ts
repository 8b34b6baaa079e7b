import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import type { APISERVER } from './table.ts';

type Values = GivenTo<typeof APISERVER>['values'];

/** The parsed command line of `chancery apiserver`. */
export type ApiserverArguments = Values & { readonly hasWorkloads: boolean };

export type KubernetesVersion = NonNullable<Values['kubernetesVersion']>;

/**
 * Parses the command line of `chancery apiserver`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function apiserverArguments({
  values,
  words: [surplus],
}: GivenTo<typeof APISERVER>): ApiserverArguments {
  if (surplus !== undefined) {
    throw new ConfigurationError(
      `expected options only, got ${JSON.stringify(surplus)}; manifests are given with -f`,
    );
  }
  if (values.workloads && values.noWorkloads) {
    throw new ConfigurationError('expected --workloads or --no-workloads, got both');
  }
  const { kubeconfigOut } = values;
  for (const [option, path] of [
    ['--kubeconfig-out', kubeconfigOut],
    ['--ready-file', values.readyFile],
    ['--snapshot', values.snapshot],
    ['--faults', values.faults],
  ]) {
    if (path === '') throw new ConfigurationError(`${option} must name a file`);
  }
  if (values.force && kubeconfigOut === undefined) {
    throw new ConfigurationError('--force is for --kubeconfig-out, which is not given');
  }
  if (values.tls && kubeconfigOut === undefined) {
    throw new ConfigurationError(
      '--tls needs --kubeconfig-out: the certificate authority and the token are written only there',
    );
  }
  return { ...values, hasWorkloads: !values.noWorkloads };
}

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from 'chancery/internal-objects';
import type { FeatureGates } from '../apiserver/behaviour/feature-gates.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import type { Backend } from './backend.ts';
import { isTrue } from './choose-backend.ts';
import { requireKubectl, throughProxy } from './existing-backend.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The directory where the tools of kubebuilder place etcd and kube-apiserver by default. */
const DEFAULT_ASSETS = '/usr/local/kubebuilder/bin';

/** The default of envtest in controller-runtime. */
const DEFAULT_TIMEOUT_MS = 20_000;

/**
 * Starts etcd and kube-apiserver from `KUBEBUILDER_ASSETS`, and a separate `kubectl proxy` in front of them.
 */
export async function kubebuilderBackend(
  environment: Environment,
  featureGates: FeatureGates,
): Promise<Backend> {
  const assets = environment.KUBEBUILDER_ASSETS?.trim() || DEFAULT_ASSETS;
  const program = (variable: string, name: string): string =>
    requireProgram(environment[variable]?.trim() || join(assets, name), variable);
  const plane = await ControlPlane.start({
    etcd: program('TEST_ASSET_ETCD', 'etcd'),
    kubeApiserver: program('TEST_ASSET_KUBE_APISERVER', 'kube-apiserver'),
    startTimeoutMs: timeoutOf('KUBEBUILDER_CONTROLPLANE_START_TIMEOUT', environment),
    stopTimeoutMs: timeoutOf('KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT', environment),
    attachOutput: isTrue('KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT', environment),
    featureGates: Object.entries(featureGates),
    environment,
  });
  try {
    const proxied = await throughProxy({
      kubectl: kubectlOf(environment, assets),
      environment: { ...environment, KUBECONFIG: plane.kubeconfig, KUBERC: 'off', NO_PROXY: '*' },
    });
    return {
      ...proxied,
      runsWorkloads: false,
      isShared: false,
      async close(): Promise<void> {
        await proxied.close(); // first, because an API server waits for its watches to end
        await plane.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** The path of a kubectl, if possible of the same release as kube-apiserver. */
function kubectlOf(environment: Environment, assets: string): string {
  const named = environment.TEST_ASSET_KUBECTL?.trim();
  if (named) return requireProgram(named, 'TEST_ASSET_KUBECTL');
  const beside = join(assets, 'kubectl');
  return isExecutable(beside) ? beside : requireKubectl(environment);
}

function requireProgram(path: string, variable: string): string {
  if (isExecutable(path)) return path;
  throw new ConfigurationError(
    `there is no program ${path}: set KUBEBUILDER_ASSETS to the directory that setup-envtest prints, or ${variable} to the program`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * A timeout in milliseconds from a duration in Go's format, such as `20s` or `1m30s`. Default 20 s.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable.
 */
function timeoutOf(name: string, environment: Environment): number {
  const text = environment[name]?.trim();
  if (!text) return DEFAULT_TIMEOUT_MS;
  if (!/^(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) {
    throw new ConfigurationError(
      `${name} must be a duration such as 20s or 1m30s, not ${JSON.stringify(text)}`,
    );
  }
  const parts = text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h)/g);
  return [...parts].reduce((sum, [, n, unit = '']) => sum + Number(n) * (UNIT_MS[unit] ?? 0), 0);
}

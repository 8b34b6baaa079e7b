import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseYamlDocuments } from '../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { realKubectl } from '../../proxy/support/ambassador.ts';

const run = promisify(execFile);

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly [probeOrOther: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string; readonly projected?: Projected }[];
  readonly securityContext?: unknown;
  readonly [field: string]: unknown;
}

interface Projected {
  readonly sources: readonly {
    readonly serviceAccountToken?: { readonly path: string; readonly expirationSeconds: number };
  }[];
}

export interface DeploymentObject extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: object;
    readonly template: { readonly spec: PodSpec };
  };
}

/** What the real `kubectl kustomize` makes of a folder of the repository, or of any other folder. */
export async function render(folder: string): Promise<readonly KubernetesObject[]> {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  const { stdout } = await run(realKubectl(), ['kustomize', folder], { cwd: repository });
  return parseYamlDocuments(stdout) as KubernetesObject[];
}

export function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`expected one ${kind}`);
  return found;
}

export function podSpec(objects: readonly KubernetesObject[]): PodSpec {
  return (only(objects, 'Deployment') as DeploymentObject).spec.template.spec;
}

export function containerNamed(spec: PodSpec, name: string): Container {
  const found = spec.containers.find((container) => container.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

/** The kubelet's expansion: `$(NAME)` of a known variable, `$$` for one `$`, all else as it is. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseYamlDocuments } from '../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { pathOf } from '../../tools/tools.ts';

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
  readonly volumes?: readonly Volume[];
  readonly securityContext?: unknown;
  readonly [field: string]: unknown;
}

interface Volume {
  readonly name: string;
  readonly projected?: Projected;
  readonly secret?: object;
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
export async function render(
  folder: string,
  kubectl: string = pathOf('kubectl'),
): Promise<readonly KubernetesObject[]> {
  return parseYamlDocuments(await renderText(folder, kubectl)) as KubernetesObject[];
}

/** The same as text. */
export async function renderText(
  folder: string,
  kubectl: string = pathOf('kubectl'),
): Promise<string> {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  const limits = { cwd: repository, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(kubectl, ['kustomize', folder], limits);
  return stdout;
}

export function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`expected one ${kind}`);
  return found;
}

export function podSpec(objects: readonly KubernetesObject[]): PodSpec {
  return (only(objects, 'Deployment') as DeploymentObject).spec.template.spec;
}

/** A container of the Pod, or a native sidecar. */
export function containerNamed(spec: PodSpec, name: string): Container {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  const found = all.find((container) => container.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

/** The kubelet's expansion: `$(NAME)` of a known variable, `$$` for one `$`, all else as it is. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}

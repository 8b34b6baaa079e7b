import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterNode } from './cluster-node.ts';
import type { ProjectedSource, Volume } from './pod-spec.ts';
import { project } from './projected-volume.ts';

/** What the kubelet knows that goes into volumes. */
export interface Projection {
  readonly token: string;
  readonly ca: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The data of a ConfigMap of the Pod's namespace. @throws Error when there is none. */
  readonly configMap: (name: string) => Readonly<Record<string, string>>;
  /** The same of a Secret, decoded. */
  readonly secret: (name: string) => Readonly<Record<string, string>>;
}

/** The volumes of one Pod, each a folder of the node. */
export class Volumes {
  readonly #folder: string;
  readonly #volumes: readonly Volume[];

  constructor(folder: string, volumes: readonly Volume[]) {
    this.#folder = folder;
    this.#volumes = volumes;
  }

  /** @throws Error for a volume that the Pod does not have. */
  pathOf(name: string): string {
    if (!this.#volumes.some((volume) => volume.name === name)) throw new Error(`no volume ${name}`);
    return join(this.#folder, 'volumes', name);
  }

  /** An emptyDir is in memory, whatever it asks for: among the mounts of the node only, and gone with it. */
  async prepare(node: ClusterNode, projection: Projection): Promise<void> {
    for (const { name, emptyDir, projected, configMap, secret } of this.#volumes) {
      const path = this.pathOf(name);
      await mkdir(path, { recursive: true });
      if ((projected ?? configMap ?? secret) !== undefined) continue;
      if (emptyDir === undefined) throw new Error(`volume ${name} is of no kind that is made here`);
      const size = `size=${emptyDir.sizeLimit?.replace('i', '') ?? '50%'}`;
      const options = ['-t', 'tmpfs', '-o', `mode=777,nosuid,nodev,${size}`, 'tmpfs'];
      await node.run(node.onNode([node.tools.path.mount, ...options, path]));
    }
    await this.project(projection);
  }

  /** Writes what is projected, again. */
  async project(projection: Projection): Promise<void> {
    for (const { name, projected, configMap, secret } of this.#volumes) {
      if (configMap !== undefined)
        await project(
          this.pathOf(name),
          projection.configMap(configMap.name),
          configMap.defaultMode,
        );
      if (secret !== undefined)
        await project(this.pathOf(name), projection.secret(secret.secretName));
      if (projected === undefined) continue;
      const files = projected.sources.flatMap((source) => filesOf(source, projection));
      await project(this.pathOf(name), Object.fromEntries(files));
    }
  }
}

function filesOf(
  source: ProjectedSource,
  { token, ca, fields }: Projection,
): readonly [string, string][] {
  const { serviceAccountToken, configMap, downwardAPI } = source;
  if (serviceAccountToken !== undefined) return [[serviceAccountToken.path, token]];
  if (configMap?.name === 'kube-root-ca.crt') {
    return (configMap.items ?? [{ key: 'ca.crt', path: 'ca.crt' }]).map(({ path }) => [path, ca]);
  }
  if (downwardAPI !== undefined) {
    return downwardAPI.items.map(({ path, fieldRef }) => [path, fields[fieldRef.fieldPath] ?? '']);
  }
  throw new Error(`nothing is projected from ${Object.keys(source)}`);
}

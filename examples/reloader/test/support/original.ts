/**
 * Plays Stakater Reloader: writes what it writes when a ConfigMap or Secret changes or goes. It was made
 * from the contract alone, without code of this example, so that a mistake of one is not in the other.
 */
import { createHash } from 'node:crypto';

export type ResourceType = 'CONFIGMAP' | 'SECRET' | 'SECRETPROVIDERCLASS';
/** The type is without `application/` and `+json`. */
export type Patch = readonly [type: string, body: string];
type Texts = Readonly<Record<string, string>>;
type Named = { readonly name: string };
interface Container extends Named {
  readonly env?: readonly (Named & { readonly value?: string })[];
  readonly envFrom?: unknown;
  readonly volumeMounts?: readonly Named[];
}
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Named[];
}
interface Workload {
  readonly metadata: Named & { readonly annotations?: Texts };
  readonly spec: { readonly paused?: boolean; readonly template: { readonly spec: PodSpec } };
}
type Content = { readonly data?: Texts; readonly binaryData?: Texts } | undefined;
type Changed = { type: ResourceType; name: string; content: Content };

const PREFIX = 'reloader.stakater.com';
const LAST = `${PREFIX}/last-reloaded-from`;
const PAUSED_AT = `deployment.${PREFIX}/paused-at`;

/** Undefined content: the resource is gone. SHA-1 is no security function here. */
export function hashOf(type: ResourceType, content: Content): string {
  if (content === undefined) return sha1(['__RELOADER_EMPTY_DELETE_MARKER__']);
  const all = Object.entries({ ...content.data }).concat(Object.entries({ ...content.binaryData }));
  const encoding = type === 'SECRET' ? 'base64' : 'utf8';
  return sha1(all.map(([key, value]) => `${key}=${bytes(value, encoding)}`));
}
export const hashOfStatus = (name: string, objects: readonly { id: string; version: string }[]) => {
  const items = [`SecretProviderClassName=${name}`, ...objects.map((o) => `${o.id}=${o.version}`)];
  return sha1(items.map((item) => bytes(item, 'utf8')));
};
/** A character for each byte, so that texts sort as bytes do. */
const bytes = (value: string, encoding: BufferEncoding): string =>
  Buffer.from(value, encoding).toString('latin1');
const sha1 = (items: readonly string[]): string =>
  createHash('sha1').update(items.toSorted().join(';'), 'latin1').digest('hex');

export function variableOf(type: ResourceType, name: string): string {
  const words = name.replace(/^[^a-z0-9]+/i, '').replace(/[^a-z0-9]+/gi, '_');
  return `STAKATER_${words}_${type}`.toUpperCase();
}
const strategic = (body: object): Patch => ['strategic-merge-patch', JSON.stringify(body)];
const template = (fields: object): Patch => strategic({ spec: { template: fields } });
export const envPatch = (container: string, name: string, value: string): Patch =>
  template({ spec: { containers: [{ name: container, env: [{ name, value }] }] } });
export const annotationPatch = (last: object): Patch =>
  template({ metadata: { annotations: { [LAST]: JSON.stringify(last) } } });
export const removalPatch = (container: number, variable: number): Patch => {
  const path = `/spec/template/spec/containers/${container}/env/${variable}`;
  return ['json-patch', JSON.stringify([{ op: 'remove', path }])];
};
/** @param at - null to resume. */
export const pausePatch = (at: Date | null): Patch => {
  const metadata = { annotations: { [PAUSED_AT]: at && rfc3339(at) } };
  return strategic({ metadata, spec: { paused: at !== null } });
};
const rfc3339 = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
export const argoPatch = (at: Date): Patch => ['merge-patch', `{"spec": ${restartAt(at)}}`];
const restartAt = (at: Date): string => `{"restartAt": "${rfc3339(at)}"}`;

/** The container that gets the mark; none when nothing refers to the resource. */
export function markedIn(spec: PodSpec, type: ResourceType, name: string): Container | undefined {
  const { containers, initContainers = [], volumes = [] } = spec;
  const volume = volumes.find((each) => mentions(each, type, name))?.name;
  const mounts = (each: Container) => each.volumeMounts?.some((m) => m.name === volume) === true;
  const refers = ({ env, envFrom }: Container) => mentions({ env, envFrom }, type, name);
  for (const uses of volume === undefined ? [refers] : [mounts, refers]) {
    const found = containers.find(uses) ?? (initContainers.some(uses) && containers[0]);
    if (found) return found;
  }
  return undefined;
}

const REFERENCE = { CONFIGMAP: /^configMap/, SECRET: /^secret/, SECRETPROVIDERCLASS: /^$/ };
function mentions(value: unknown, type: ResourceType, name: string): boolean {
  return Object.entries(value ?? {}).some(([key, inner]) => {
    const isIt = REFERENCE[type].test(key) && [inner.name, inner.secretName].includes(name);
    return isIt || (typeof inner === 'object' && mentions(inner, type, name));
  });
}

/** @returns it with what it has `sent`, to `deployments/NAME`. */
export function original(url: string, namespace: string, strategy = 'env-vars') {
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const ask = async (path: string, [type, body]: readonly string[] = []): Promise<unknown> => {
    const headers = { 'content-type': `application/${type}+json` };
    const init = body === undefined ? {} : { method: 'PATCH', headers, body };
    const answer = await fetch(url + path, init);
    if (!answer.ok && answer.status !== 404) throw new Error(`HTTP ${answer.status} for ${path}`);
    return answer.ok ? answer.json() : undefined;
  };
  const sent: (readonly [workload: string, ...patch: Patch])[] = [];
  const send = async (workload: string, patch: Patch): Promise<void> => {
    await ask(`${apps}/${workload}?fieldManager=Reloader`, patch);
    sent.push([workload, ...patch]);
  };

  async function reload(path: string, { metadata, spec }: Workload, changed: Changed) {
    const { type, name, content } = changed;
    const [{ annotations = {} }, pod] = [metadata, spec.template.spec];
    const [word, variable] = [type.toLowerCase(), variableOf(type, name)];
    const isNamed = annotations[`${word}.${PREFIX}/reload`]?.split(/ *, */).includes(name);
    const autos = [annotations[`${PREFIX}/auto`], annotations[`${word}.${PREFIX}/auto`]];
    const isReferrer = isNamed || autos.includes('true');
    const marked = isReferrer ? markedIn(pod, type, name) : undefined;
    const container = marked ?? (isNamed ? pod.containers[0] : undefined);
    if (container === undefined) return;
    const hash = hashOf(type, content);
    const at = container.env?.findIndex((each) => each.name === variable) ?? -1;
    const value = container.env?.[at]?.value;
    if (strategy === 'env-vars' && value === (content && hash)) return;
    const pauses = path.startsWith('dep') && annotations[`deployment.${PREFIX}/pause-period`];
    if (pauses && !spec.paused) await send(path, pausePatch(new Date()));
    const observedAt = Math.floor(Date.now() / 1000);
    const last = { type, name, namespace, hash, containerRefs: [container.name], observedAt };
    if (strategy === 'annotations') await send(path, annotationPatch(last));
    else if (content) await send(path, envPatch(container.name, variable, hash));
    else await send(path, removalPatch(pod.containers.indexOf(container), at));
  }

  return {
    sent,
    /** A ConfigMap or Secret has changed or, as with `--reload-on-delete`, is gone. */
    async changed(type: 'CONFIGMAP' | 'SECRET', name: string): Promise<void> {
      const path = `/api/v1/namespaces/${namespace}/${type.toLowerCase()}s/${name}`;
      const resource = { type, name, content: (await ask(path)) as Content };
      for (const kind of ['deployments', 'daemonsets', 'statefulsets']) {
        const { items } = (await ask(`${apps}/${kind}`)) as { items: Workload[] };
        for (const it of items) await reload(`${kind}/${it.metadata.name}`, it, resource);
      }
    },
    /** The pause period of a Deployment has passed. */
    async resume(name: string): Promise<void> {
      const { metadata } = (await ask(`${apps}/deployments/${name}`)) as Workload;
      if (metadata.annotations?.[PAUSED_AT]) await send(`deployments/${name}`, pausePatch(null));
    },
  };
}

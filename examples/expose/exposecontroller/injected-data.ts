import type { ConfigMap, Service } from 'chancery/kubernetes';
import { parseYaml } from 'chancery/low-level';
import type { Config } from './config.ts';

const OWN = 'expose.config.fabric8.io/';
/** `expose-no-protocol.service-key.config.fabric8.io/shop` */
const OTHERS = /^expose(-full)?(-no-path)?(-no-protocol)?\.service-key\.config\.fabric8\.io\/(.+)$/;

type Data = Record<string, string>;

/** The Services whose values a ConfigMap may want: that of its name, and those that it names. */
export function servicesNamedBy({ metadata }: Pick<ConfigMap, 'metadata'>): readonly string[] {
  const named = Object.keys(metadata.annotations ?? {}).map((key) => OTHERS.exec(key)?.[4]);
  return [metadata.name, ...named.filter((name) => name !== undefined)];
}

/**
 * What a ConfigMap asks to be told of a Service: data by key. Pure, and for each ConfigMap from the
 * beginning: nothing of one reaches the next.
 */
export function injectedData(
  configMap: ConfigMap,
  service: Service,
  url: string | undefined,
  config: Config,
): Data {
  const isOwn = configMap.metadata.name === service.metadata.name;
  const wanted = new Map<string, string>();
  if (isOwn) {
    for (const [name, value] of Object.entries(ownValues(url, config))) {
      put(wanted, configMap.metadata.annotations?.[`${OWN}${name}`], value);
    }
    clusterAddress(configMap, service, wanted);
    if (url !== undefined) editLines(configMap, service, url, config, wanted);
  }
  if (url !== undefined) {
    for (const [annotation, keys] of Object.entries(configMap.metadata.annotations ?? {})) {
      const [whole, full, noPath, noProtocol, name] = OTHERS.exec(annotation) ?? [];
      if (whole === undefined || name !== service.metadata.name) continue;
      put(wanted, keys, variant(url, { full, noPath, noProtocol }));
    }
  }
  for (const key of claimedBefore(configMap, service)) wanted.delete(key);
  return Object.fromEntries(wanted);
}

/** Two Services that claim one key would write it in turns: the first by name has it. */
function claimedBefore(configMap: ConfigMap, service: Service): readonly string[] {
  const { annotations = {} } = configMap.metadata;
  return Object.entries(annotations).flatMap(([annotation, keys]) => {
    const other = OTHERS.exec(annotation)?.[4] ?? service.metadata.name;
    return other < service.metadata.name ? keys.split(',').map((key) => key.trim()) : [];
  });
}

/** By the last part of the annotation that names the key. */
function ownValues(
  url: string | undefined,
  { apiServer, apiServerProtocol, consoleUrl }: Config,
): Readonly<Record<string, string | undefined>> {
  const parsed = url === undefined ? undefined : new URL(url);
  return {
    'url-key': url,
    'host-key': parsed?.host,
    'path-key': parsed?.pathname,
    'url-protocol': parsed?.protocol.slice(0, -1),
    'apiserver-key': apiServer,
    'apiserver-url-key': apiServer && `${apiServerProtocol}://${apiServer}`,
    'apiserver-protocol-key': apiServerProtocol,
    'console-url-key': consoleUrl,
  };
}

function clusterAddress(configMap: ConfigMap, service: Service, wanted: Map<string, string>): void {
  const { clusterIP = '', ports = [] } = service.spec ?? {};
  if (clusterIP === '' || clusterIP === 'None') return;
  const key = (name: string): string | undefined =>
    service.metadata.annotations?.[OWN + name] || configMap.metadata.annotations?.[OWN + name];
  put(wanted, key('clusterip-key'), clusterIP);
  const [first] = ports;
  if (first === undefined) return;
  const address = `${clusterIP}:${first.targetPort || first.port}`;
  put(wanted, key('clusterip-port-key'), address);
  // One name in the original's documentation, the other in its code.
  for (const name of ['clusterip-port-if-empty-key', 'clusterip-port-key-if-empty-key']) {
    const each = key(name);
    if (each !== undefined && (configMap.data?.[each] ?? '') === '') put(wanted, each, address);
  }
}

/** `config-yaml`: lines that begin with a prefix are replaced. On the ConfigMap, or on the Service. */
function editLines(
  configMap: ConfigMap,
  service: Service,
  url: string,
  config: Config,
  wanted: Map<string, string>,
): void {
  const annotation = `${OWN}config-yaml`;
  const text =
    configMap.metadata.annotations?.[annotation] ?? service.metadata.annotations?.[annotation];
  const { apiServer, apiServerProtocol, consoleUrl } = config;
  const values: Readonly<Record<string, string | undefined>> = {
    host: new URL(url).host,
    url,
    apiserver: apiServer,
    apiserverURL: apiServer && `${apiServerProtocol}://${apiServer}`,
    apiserverProtocol: apiServerProtocol,
    consoleURL: consoleUrl,
  };
  for (const edit of editsIn(text)) {
    const before = wanted.get(edit.key) ?? configMap.data?.[edit.key];
    const value = values[edit.expression];
    if (before === undefined || value === undefined) continue;
    const line = `${edit.prefix}${value}${edit.suffix ?? ''}`;
    const lines = before.split('\n').map((each) => (each.startsWith(edit.prefix) ? line : each));
    put(wanted, edit.key, lines.join('\n'));
  }
}

interface Edit {
  readonly key: string;
  readonly prefix: string;
  readonly expression: string;
  readonly suffix?: string;
}

function editsIn(text: string | undefined): readonly Edit[] {
  try {
    const value: unknown = parseYaml(text ?? '');
    return Array.isArray(value) ? value.filter(isEdit) : [];
  } catch {
    return []; // what cannot be read changes nothing
  }
}

/** An empty prefix would replace every line. */
function isEdit(value: unknown): value is Edit {
  if (typeof value !== 'object' || value === null) return false;
  const { key, prefix, expression } = value as Partial<Edit>;
  const isText = [key, prefix, expression].every((each) => typeof each === 'string');
  return isText && prefix !== '';
}

function variant(
  url: string,
  { full, noPath, noProtocol }: Record<'full' | 'noPath' | 'noProtocol', string | undefined>,
): string {
  const base = noPath === undefined ? url.replace(/\/$/, '') : new URL(url).origin;
  const ended = full === undefined && noPath === undefined ? base : `${base}/`;
  return noProtocol === undefined ? ended : ended.replace(/^https?:\/\//, '');
}

/** @param keys - one, or several with commas; undefined when nobody wants the value. */
function put(wanted: Map<string, string>, keys: string | undefined, value: string | undefined) {
  if (value === undefined) return;
  for (const key of (keys ?? '').split(',').map((each) => each.trim())) {
    if (/^[-._a-zA-Z0-9]{1,253}$/.test(key)) wanted.set(key, value);
  }
}

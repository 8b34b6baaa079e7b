import { ConfigurationError } from 'chancery';
import { execProvisioner } from './provisioner/exec.ts';
import { FakeProvisioner } from './provisioner/fake.ts';
import type { Provisioner } from './provisioner/provisioner.ts';
import { webhookProvisioner } from './provisioner/webhook.ts';

export interface Settings {
  /** Services of this class are ours; of any other class, never. */
  readonly loadBalancerClass: string;
  /** Services that name no class are ours, too. */
  readonly classless: boolean;
  /** Only Services that ask for it by the annotation. */
  readonly annotatedOnly: boolean;
  /** The address goes to `spec.externalIPs` as well, which many clusters refuse. */
  readonly externalIPs: boolean;
  readonly clientImage: string;
  readonly maxClientMemory: string;
  /** Of the Tunnel's own namespace, for Tunnels that name no other. */
  readonly licenseSecret: string;
  /** How often a host is looked at that is not active yet, or is missed. */
  readonly pollMs: number;
  /** The same, when all is well: a host that is gone is noticed by then. */
  readonly checkMs: number;
  /** How long a host must be missed before another one is made in its place. */
  readonly missingMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  loadBalancerClass: 'operator.inlets.dev/tunnel',
  classless: true,
  annotatedOnly: false,
  externalIPs: false,
  clientImage: 'ghcr.io/inlets/inlets-pro:0.9.14',
  maxClientMemory: '128Mi',
  licenseSecret: 'inlets-license',
  pollMs: 5_000,
  checkMs: 300_000,
  missingMs: 60_000, // what providers' lists are late by is seconds
};

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigurationError for a value that cannot be used, with the variable's name. */
export function settingsFrom(environment: Environment): Settings {
  const text = (name: string, otherwise: string): string => environment[name]?.trim() || otherwise;
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = text(name, String(otherwise));
    if (value === 'true' || value === 'false') return value === 'true';
    throw new ConfigurationError(`${name} must be true or false, not ${JSON.stringify(value)}`);
  };
  const { loadBalancerClass, clientImage, maxClientMemory, licenseSecret } = DEFAULT_SETTINGS;
  return {
    ...DEFAULT_SETTINGS,
    loadBalancerClass: text('TUNNEL_LOAD_BALANCER_CLASS', loadBalancerClass),
    classless: flag('TUNNEL_CLASSLESS', DEFAULT_SETTINGS.classless),
    annotatedOnly: flag('TUNNEL_ANNOTATED_ONLY', DEFAULT_SETTINGS.annotatedOnly),
    externalIPs: flag('TUNNEL_EXTERNAL_IPS', DEFAULT_SETTINGS.externalIPs),
    clientImage: text('TUNNEL_CLIENT_IMAGE', clientImage),
    maxClientMemory: amountIn(text('TUNNEL_MAX_CLIENT_MEMORY', maxClientMemory)),
    licenseSecret: text('TUNNEL_LICENSE_SECRET', licenseSecret),
  };
}

/** Read here: the API server would refuse every client, each with a host that is paid for. */
function amountIn(value: string): string {
  if (/^[0-9]+([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$/.test(value)) return value;
  throw new ConfigurationError(`TUNNEL_MAX_CLIENT_MEMORY must be an amount, not ${value}`);
}

/**
 * `TUNNEL_PROVISIONER`: `fake` (default), `exec` with the program in `TUNNEL_PROVISIONER_COMMAND` and the
 * names of its variables in `TUNNEL_PROVISIONER_ENV`, or `webhook` with `TUNNEL_PROVISIONER_URL`.
 *
 * @throws ConfigurationError as `settingsFrom`.
 */
export function provisionerFrom(environment: Environment): Provisioner {
  const kind = environment.TUNNEL_PROVISIONER?.trim() || 'fake';
  if (kind === 'fake') return new FakeProvisioner({ bootMs: 2_000 });
  if (kind === 'exec') {
    const command = commandIn(environment.TUNNEL_PROVISIONER_COMMAND);
    return execProvisioner(command, { env: programEnvironment(environment) });
  }
  if (kind === 'webhook') return webhookProvisioner(urlIn(environment.TUNNEL_PROVISIONER_URL));
  throw new ConfigurationError(`TUNNEL_PROVISIONER must be fake, exec or webhook, not ${kind}`);
}

/** The program is given what it is named, and of the rest only what it needs to find other programs. */
function programEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const names = ['PATH', 'HOME', ...(environment.TUNNEL_PROVISIONER_ENV ?? '').split(',')];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name.trim()];
      return value === undefined ? [] : [[name.trim(), value]];
    }),
  );
}

/** A path, or a path and arguments as a JSON array: there is no shell that would split a text. */
function commandIn(value = ''): [string, ...string[]] {
  const words: unknown = value.startsWith('[') ? wordsIn(value) : [value];
  const isUsable = Array.isArray(words) && words.every((word) => typeof word === 'string');
  const [file, ...rest] = isUsable ? words : [];
  if (file !== undefined && file !== '') return [file, ...rest];
  throw new ConfigurationError(
    'TUNNEL_PROVISIONER_COMMAND must be a path, or a JSON array of a path and arguments',
  );
}

function wordsIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined; // the caller says what it must be
  }
}

function urlIn(value = ''): string {
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  throw new ConfigurationError('TUNNEL_PROVISIONER_URL must be an http or https URL');
}

import { isIP } from 'node:net';
import { withTimeout } from 'chancery';
import { type Call, type Host, type Provisioner, ProvisionerError } from './provisioner.ts';

/** What came back: text that should be JSON, and why it is a failure all the same. */
export interface Answer {
  readonly text: string;
  /** `exit code 3`, `HTTP 503`; left out for a success. */
  readonly failure?: string;
}

/** Takes one request to the other side and brings its answer back. @throws ProvisionerError */
export type Exchange = (request: string, call: Call) => Promise<Answer>;

export interface RemoteOptions {
  /** For each request. Default 60 s: what making a machine may take to be accepted, not to boot. */
  readonly timeoutMs?: number;
}

/** Longer answers are none of this contract. */
export const MAX_ANSWER_BYTES: number = 64 * 1024;

/** The longest text of a failure that is shown. */
const MAX_SHOWN = 300;

/**
 * A provisioner behind a program or a URL. One request, one answer, both JSON:
 *
 *     {"action": "find", "uid": …}                              {"host": {"id", "status", "ip"} | null}
 *     {"action": "create", "uid": …, "name": …, "token": …, …}  {"host": {"id", "status", "ip"}}
 *     {"action": "delete", "uid": …}                            {}
 *
 * A failure is `{"error": "a sentence for people"}`, a non-zero exit code, or an HTTP status other than 2xx.
 */
export function remoteProvisioner(
  exchange: Exchange,
  { timeoutMs = 60_000 }: RemoteOptions = {},
): Provisioner {
  const tooLate = () =>
    new ProvisionerError(`the provisioner did not answer within ${timeoutMs} ms`);
  const ask = (request: object, { clock, signal }: Call) =>
    withTimeout({ clock, signal, timeoutMs, tooLate }, (limited) =>
      exchange(JSON.stringify(request), { clock, signal: limited }),
    );
  return {
    async find(uid, call) {
      const { host } = decoded(await ask({ action: 'find', uid }, call));
      return host === null || host === undefined ? undefined : hostOf(host);
    },
    async create(request, call) {
      const answer = await ask({ action: 'create', ...request }, call);
      return hostOf(decoded(answer, request.token).host);
    },
    async remove(uid, call) {
      decoded(await ask({ action: 'delete', uid }, call));
    },
  };
}

/** @param secret - what the other side was told, and may repeat in what it complains of. */
function decoded({ text, failure }: Answer, secret?: string): Readonly<Record<string, unknown>> {
  const answer = parsed(text);
  if (typeof answer?.error === 'string') {
    const said = secret === undefined ? answer.error : answer.error.replaceAll(secret, '***');
    throw new ProvisionerError(`the provisioner says: ${said.slice(0, MAX_SHOWN).toWellFormed()}`);
  }
  if (failure !== undefined) throw new ProvisionerError(`the provisioner failed: ${failure}`);
  if (answer === undefined) throw new ProvisionerError('the provisioner did not answer in JSON');
  return answer;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined; // the caller says so; the text itself may hold a secret
  }
}

/** What it says of a host goes into arguments and into a Service: nothing but what it must be. */
function hostOf(value: unknown): Host {
  const { id, status, ip } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || id === '' || id.length > 253) {
    throw new ProvisionerError('the provisioner answered with a host without an id');
  }
  const hasAddress = typeof ip === 'string' && isIP(ip) !== 0;
  if (status === 'active' && hasAddress) return { id, status, ip };
  // Some say that it is active before they know its address: it is not, for whoever wants to connect.
  if (status === 'active' && ip === undefined) return { id, status: 'provisioning' };
  if (status === 'provisioning') return { id, status };
  throw new ProvisionerError('the provisioner answered with a host of unusable status or address');
}

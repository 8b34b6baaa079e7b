import type { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import process from 'node:process';
import type { TLSSocket } from 'node:tls';
import { certificateProblem } from '../../core/serving-certificate.ts';
import { GATE_TEST_AGENT } from './gate-test-agent.ts';

/** What the test of the gate needs to know. */
export interface GateTarget {
  /** The name that the API server uses for the gate: `SERVICE.NAMESPACE.svc`. */
  readonly service: string;
  /** The gate's port on loopback. */
  readonly port: number;
  /** The path of a declared webhook; undefined when none is known. */
  readonly path: string | undefined;
}

/** One fault of the gate, and what to do about it. */
export interface GateFinding {
  readonly code:
    | 'GATE_UNREACHABLE'
    | 'GATE_CERTIFICATE'
    | 'GATE_CERTIFICATE_EXPIRES'
    | 'GATE_OPEN'
    | 'GATE_WITHOUT_OPERATOR';
  readonly message: string;
}

/** The answer to a request. `isOfGate` is true if the gate itself has refused the request. */
interface Answer {
  readonly status: number;
  readonly isOfGate: boolean;
  readonly certificate: X509Certificate | undefined;
}

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;

/**
 * A certificate that expires within this time is reported. Issuers renew a certificate much earlier:
 * cert-manager after two thirds of its validity, OpenShift 13 months before its end.
 */
const EXPIRES_SOON_MS = 3 * DAY_MS;

/** The header that the gate adds to its own answers. */
const MARK = 'chancery-gate';

/** A path that no webhook has. */
const UNDECLARED = '/chancery-self-test';

/** Sends two requests that the gate must refuse, and one that it must pass on. Rejects only when aborted. */
export async function testGate(
  target: GateTarget,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<readonly GateFinding[]> {
  const ask = (method: string, path: string): Promise<Answer | Error> =>
    answerOf(target, method, path, signal).catch((error: Error) => {
      signal.throwIfAborted();
      return error;
    });
  const undeclared = await ask('POST', UNDECLARED);
  if (undeclared instanceof Error) return [unreachable(target, undeclared)];
  const { path } = target;
  const others = path === undefined ? [] : [await ask('GET', path), await ask('POST', path)];
  const [wrongMethod, passed] = others.map((each) => (each instanceof Error ? undefined : each));
  const open = [
    ...(undeclared.isOfGate ? [] : [`POST ${UNDECLARED}`]),
    ...(wrongMethod === undefined || wrongMethod.isOfGate ? [] : [`GET ${path}`]),
  ];
  return [
    ...certificateFindings(undeclared.certificate, target, now),
    ...(open.length === 0 ? [] : [openGate(open)]),
    ...(passed?.isOfGate === true ? [withoutOperator(passed.status, path)] : []),
  ];
}

function certificateFindings(
  certificate: X509Certificate | undefined,
  { service }: GateTarget,
  now: Date,
): readonly GateFinding[] {
  if (certificate === undefined) return [];
  const problem = certificateProblem(certificate, [service], now);
  const remedy =
    'look at the Secret that the container gate mounts at /tls, and at its source: the Certificate of ' +
    'cert-manager, the annotation of the Service, or chancery certificates';
  if (problem !== undefined) {
    const message = `the certificate of the gate ${problem}, so the API server refuses it: ${remedy}`;
    return [{ code: 'GATE_CERTIFICATE', message }];
  }
  const leftMs = Date.parse(certificate.validTo) - now.getTime();
  if (leftMs > EXPIRES_SOON_MS) return [];
  const message = `the certificate of the gate expires on ${certificate.validTo}, and nothing has renewed it: ${remedy}`;
  return [{ code: 'GATE_CERTIFICATE_EXPIRES', message }];
}

function unreachable({ port }: GateTarget, error: Error): GateFinding {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'ETIMEDOUT') {
    return {
      code: 'GATE_UNREACHABLE',
      message: `no gate listens on port ${port}: see whether the container gate runs, and its log`,
    };
  }
  return {
    code: 'GATE_CERTIFICATE',
    message:
      `the gate ends every TLS connection (${code || error.message}): it has no certificate that it can use. Its Secret ` +
      'needs tls.crt and tls.key that belong together, mounted as a whole at /tls; the log of the container gate names the file',
  };
}

function openGate(requests: readonly string[]): GateFinding {
  return {
    code: 'GATE_OPEN',
    message:
      `the gate passes ${requests.join(' and ')}, which nothing declares: start it with the configuration that ` +
      'chancery generate manifests makes',
  };
}

function withoutOperator(status: number, path: string | undefined): GateFinding {
  return {
    code: 'GATE_WITHOUT_OPERATOR',
    message:
      status === 502
        ? `the gate does not reach this operator: CHANCERY_WEBHOOK_LISTEN must be the address in the gate's configuration`
        : `the gate answers ${status} to POST ${path}, a declared path: generate its configuration again, and restart the Pod`,
  };
}

/**
 * Sends one request. The certificate is not verified here, because the issuers that the API server trusts are
 * not known.
 */
async function answerOf(
  { service, port }: GateTarget,
  method: string,
  path: string,
  signal: AbortSignal,
): Promise<Answer> {
  const options: RequestOptions = {
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    servername: service,
    rejectUnauthorized: false,
    headers: {
      host: service,
      'content-type': 'application/json',
      'content-length': '2',
      'user-agent': GATE_TEST_AGENT,
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  const { request } = process.getBuiltinModule('node:https');
  return new Promise((resolve, reject) => {
    const asked = request(options, (answer) => {
      const certificate = (answer.socket as TLSSocket).getPeerX509Certificate();
      answer.destroy();
      const isOfGate = answer.headers[MARK] !== undefined;
      resolve({ status: answer.statusCode ?? 0, isOfGate, certificate });
    });
    asked.on('error', reject).end('{}');
  });
}

import { nodeCrypto } from '../../core/builtin-modules.ts';
import { certificateProblem } from '../../core/serving-certificate.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Problem } from './diagnostic.ts';

const REMEDY = 'issue a new one, or leave the Secret to its source, such as cert-manager';

/**
 * The reason why the API server would refuse the certificate of a Secret at `now`. Undefined for a
 * good certificate, and for a Secret without contents, which is filled in the cluster.
 *
 * @param names - the names by which the API server calls the Services.
 */
export function tlsSecretProblem(
  secret: KubernetesObject,
  names: readonly string[],
  now: Date,
): Pick<Problem, 'path' | 'wrong' | 'todo'> | undefined {
  const [chain, key] = [textOf(secret, 'tls.crt'), textOf(secret, 'tls.key')];
  if (chain === '' && key === '') return undefined;
  const certificate = readOr(() => new (nodeCrypto().X509Certificate)(chain));
  const wrong =
    certificate === undefined ? 'is no certificate' : certificateProblem(certificate, names, now);
  if (wrong !== undefined) return { path: 'data[tls.crt]', wrong, todo: REMEDY };
  const privateKey = readOr(() => nodeCrypto().createPrivateKey(key));
  if (privateKey !== undefined && certificate?.checkPrivateKey(privateKey)) return undefined;
  return { path: 'data[tls.key]', wrong: 'is not the key of tls.crt', todo: REMEDY };
}

function textOf(secret: KubernetesObject, name: string): string {
  const { data, stringData } = secret as {
    data?: Record<string, string> | null;
    stringData?: Record<string, string> | null;
  };
  return stringData?.[name] ?? Buffer.from(data?.[name] ?? '', 'base64').toString();
}

function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

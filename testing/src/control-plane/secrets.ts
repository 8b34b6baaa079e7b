import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { formatYaml } from 'chancery/internal-objects';

const { generateKeyPairSync, randomBytes } = process.getBuiltinModule('node:crypto');

/** The credentials of one control plane. They exist as long as the control plane's directory. */
export interface ControlPlaneSecrets {
  /** The token of a user with all rights, in the group `system:masters`. */
  readonly token: string;
  /** The path of the file for `--token-auth-file`. */
  readonly tokenFile: string;
  /**
   * The path of the private key, for `--service-account-signing-key-file`. `verificationKeyFile` is the
   * public key, for `--service-account-key-file`.
   */
  readonly signingKeyFile: string;
  readonly verificationKeyFile: string;
}

/** Generates the credentials, and writes them to `directory`, readable only by its owner. */
export function writeSecrets(directory: string): ControlPlaneSecrets {
  const token = randomBytes(24).toString('base64url');
  const tokenFile = join(directory, 'tokens.csv');
  write(tokenFile, `${token},chancery-test-env,chancery-test-env,"system:masters"\n`);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const signingKeyFile = join(directory, 'service-account.key');
  const verificationKeyFile = join(directory, 'service-account.pub');
  write(signingKeyFile, privateKey);
  write(verificationKeyFile, publicKey);
  return { token, tokenFile, signingKeyFile, verificationKeyFile };
}

/** @returns the path of a new kubeconfig for the server at `server`. */
export function writeKubeconfig(
  directory: string,
  {
    server,
    caFile,
    token,
  }: { readonly server: string; readonly caFile: string; readonly token: string },
): string {
  const name = 'chancery-test-env';
  const path = join(directory, 'kubeconfig');
  write(
    path,
    formatYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      clusters: [{ name, cluster: { server, 'certificate-authority': caFile } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      users: [{ name, user: { token } }],
    }),
  );
  return path;
}

function write(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
}

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pathOf } from '../../tools/tools.ts';
import { type GateProcess, SERVICE } from './gate-process.ts';

/** A certificate of a client, its key, and where both are. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const NEW_KEY = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** As `openssl ca` wants it. Only this command can set the end of a certificate to any date. */
const CONFIGURATION = `[ca]
default_ca = scrapers
[scrapers]
certificate = ca.crt
private_key = ca.key
database = issued
unique_subject = no
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[client]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = clientAuth
[server]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = serverAuth
`;

/** An authority for those who read metrics. Its files are there until `stop`. */
export class Scrapers {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'chancery-scrapers-'));
  /** PEM. */
  readonly authority: string;

  constructor() {
    this.#openssl(
      ...NEW_KEY,
      '-x509',
      '-subj',
      '/CN=scrapers',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
    );
    this.authority = readFileSync(join(this.#folder, 'ca.crt'), 'utf8');
    writeFileSync(join(this.#folder, 'ca.conf'), CONFIGURATION);
    writeFileSync(join(this.#folder, 'issued'), '');
  }

  static async start(): Promise<Scrapers> {
    return new Scrapers();
  }

  /** A certificate that is valid from 2020 until the end of `year`. */
  issue(
    name: string,
    { year = 2049, usage = 'client' }: { year?: number; usage?: 'client' | 'server' } = {},
  ): ClientCertificate {
    const [keyFile, certFile] = [`${name}.key`, `${name}.crt`];
    this.#openssl(...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', 'request');
    this.#openssl(
      ...['ca', '-batch', '-config', 'ca.conf', '-in', 'request', '-out', certFile, '-notext'],
      ...['-startdate', '20200101000000Z', '-enddate', `${year}1231235959Z`, '-extensions', usage],
    );
    const at = (file: string): string => join(this.#folder, file);
    return {
      cert: readFileSync(at(certFile), 'utf8'),
      key: readFileSync(at(keyFile), 'utf8'),
      certFile: at(certFile),
      keyFile: at(keyFile),
    };
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true });
  }

  #openssl(...args: readonly string[]): void {
    execFileSync(pathOf('openssl'), args, { cwd: this.#folder, stdio: 'pipe' });
  }
}

export interface Scrape {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  /** The head and the body, as sent. */
  readonly text: string;
}

/**
 * Sends one request to the server for metrics, and closes.
 *
 * @param client - Default: no certificate.
 * @param line - the request line, and after ` | ` each further header. Default: a scrape.
 */
export async function scrape(
  gate: GateProcess,
  client?: Pick<ClientCertificate, 'cert' | 'key'>,
  line = 'GET /metrics HTTP/1.1',
): Promise<Scrape> {
  const [request, ...headers] = line.split(' | ');
  const head = [request, `host: ${SERVICE}:9444`, 'connection: close', ...headers];
  const socket = connect({
    host: '127.0.0.1',
    port: gate.metricsPort,
    ca: gate.authority.certificate,
    servername: SERVICE,
    ...(client && { cert: client.cert, key: client.key }),
  });
  let text = '';
  try {
    await once(socket, 'secureConnect');
    const body = headers.length === 0 ? '' : '0\r\n\r\n'; // the end of chunks, and a byte otherwise
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
    for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  } catch {
    // A reset is one way to refuse.
  }
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0), text };
}

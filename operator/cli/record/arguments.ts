import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import type { RECORD } from './table.ts';

/** The parsed command line of `chancery record`. */
export interface RecordArguments {
  /** A plain HTTP URL without credentials, and without a slash at the end of its path. */
  readonly server: URL;
  readonly folder: string;
  readonly port: number;
  /** Name of the file without its suffix. */
  readonly name: string;
  readonly force: boolean;
}

/**
 * Parses the command line of `chancery record`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function recordArguments({
  values,
  words: [surplus],
}: GivenTo<typeof RECORD>): RecordArguments {
  if (surplus !== undefined) {
    throw new ConfigurationError(`expected options only, got ${JSON.stringify(surplus)}`);
  }
  const { server, out, port, name, force } = values;
  if (server === undefined) throw new ConfigurationError('--server URL is missing');
  if (out === undefined || out === '') throw new ConfigurationError('--out must name a folder');
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) {
    throw new ConfigurationError(
      '--name must have at most 100 letters, digits, "-", "_" and ".", and begin with one of the first two',
    );
  }
  return { server: serverUrl(server), folder: out, port, name, force };
}

function serverUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') {
    throw new ConfigurationError(
      '--server must be plain HTTP: this command holds no credentials; run "kubectl proxy --port 8001" and give http://127.0.0.1:8001',
    );
  }
  if (url?.protocol !== 'http:' || url.hostname === '') {
    throw new ConfigurationError(
      '--server must be a URL such as http://127.0.0.1:8001, where kubectl proxy listens',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('--server must have no user and no password');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('--server must have no "?" and no "#"');
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

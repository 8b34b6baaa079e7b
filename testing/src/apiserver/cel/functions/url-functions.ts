import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';

/** An absolute URI or an absolute path, parsed like Go's `url.ParseRequestURI`. */
class CelUrl {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    const [, scheme = '', , authority = '', path = '', query = ''] =
      /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
    if (scheme === '' && !text.startsWith('/')) {
      throw new Error(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    }
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = authority.slice(authority.lastIndexOf('@') + 1);
    this.path = path;
    this.query = query;
  }

  get hostname(): string {
    const [, bracketed, plain = ''] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(this.host) ?? [];
    return bracketed ?? plain;
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host.replace(/^\[.*\]/, ''))?.[1] ?? '';
  }

  equals(other: unknown): boolean {
    return other instanceof CelUrl && other.text === this.text;
  }
}

/** Registers `url`, `isURL`, and the methods that return the components of a URL. */
export function registerUrlFunctions(environment: CelEnvironment): void {
  environment
    .registerType('net.URL', CelUrl)
    .registerOperator('net.URL == net.URL', (a: CelUrl, b: CelUrl) => a.equals(b))
    .registerFunction('url(string): net.URL', (text: string) => new CelUrl(text))
    .registerFunction('isURL(string): bool', isUrl)
    .registerFunction('net.URL.getScheme(): string', (url: CelUrl) => url.scheme)
    .registerFunction('net.URL.getHost(): string', (url: CelUrl) => url.host)
    .registerFunction('net.URL.getHostname(): string', (url: CelUrl) => url.hostname)
    .registerFunction('net.URL.getPort(): string', (url: CelUrl) => url.port)
    .registerFunction('net.URL.getEscapedPath(): string', (url: CelUrl) => url.path)
    .registerFunction('net.URL.getQuery(): map<string, list<string>>', queryOf);
}

function isUrl(text: string): boolean {
  try {
    return new CelUrl(text).text === text;
  } catch {
    return false;
  }
}

function queryOf({ query }: CelUrl): Map<string, string[]> {
  const parameters = new URLSearchParams(query);
  return new Map([...parameters.keys()].map((key) => [key, parameters.getAll(key)]));
}

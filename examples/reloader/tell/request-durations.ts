/**
 * How long requests to the ambassador take, with the bucket bounds of the original. The toolkit has the same metric
 * with other bounds, and only when detailed metrics are on. Its HTTP client announces every request on diagnostic
 * channels of Node (undici, docs/api/DiagnosticsChannel.md).
 */
import diagnostics from 'node:diagnostics_channel';
import { type Runnable, runnable } from 'chancery';

/** Where the durations go. */
interface DurationSink {
  observe(labels: { readonly verb: string; readonly host: string }, seconds: number): void;
}

/** Measures while it runs. */
export type RequestDurations = Runnable;

/** The part of a request of undici that is read. */
interface AnnouncedRequest {
  readonly origin?: unknown;
  readonly method?: unknown;
  readonly path?: unknown;
}

/** @param apiUrl - `http://HOST:PORT` or `unix:/PATH`; requests to other hosts are left out. */
export function requestDurations(
  apiUrl: string,
  sink: DurationSink,
  monotonic: () => number,
): RequestDurations {
  const isUnix = apiUrl.startsWith('unix:');
  const origin = isUnix ? 'http://localhost' : (URL.parse(apiUrl)?.origin ?? '');
  const host = apiUrl.replace(/^(?:http|unix):(?:\/\/)?/, '').replace(/\/$/, '');
  return runnable({
    name: 'request-durations',
    needsLeaderElection: false,
    async run(signal) {
      const begun = new WeakMap<object, number>();
      const onCreate = (message: unknown): void => {
        const { request } = message as { readonly request: AnnouncedRequest };
        if (String(request.origin) === origin && !isWatch(request)) begun.set(request, monotonic());
      };
      const onHeaders = (message: unknown): void => {
        const { request } = message as { readonly request: AnnouncedRequest };
        const atMs = begun.get(request);
        if (atMs === undefined) return;
        begun.delete(request);
        sink.observe({ verb: String(request.method), host }, (monotonic() - atMs) / 1_000);
      };
      diagnostics.subscribe('undici:request:create', onCreate);
      diagnostics.subscribe('undici:request:headers', onHeaders);
      try {
        await new Promise<void>((ended) => {
          if (signal.aborted) ended();
          else signal.addEventListener('abort', () => ended(), { once: true });
        });
      } finally {
        diagnostics.unsubscribe('undici:request:create', onCreate);
        diagnostics.unsubscribe('undici:request:headers', onHeaders);
      }
    },
  });
}

function isWatch({ path }: AnnouncedRequest): boolean {
  return /[?&]watch=(?:true|1)(?:&|$)/.test(String(path));
}

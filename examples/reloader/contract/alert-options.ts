/** `ALERT_…` variables → where alerts go. */
import type { Environment } from './arguments.ts';

/** The form of an alert. */
export type AlertSink = 'slack' | 'teams' | 'gchat' | 'raw';

/** Where alerts go. The URLs may contain tokens: never log them. */
export interface AlertOptions {
  readonly sink: AlertSink;
  readonly url: string;
  /** Undefined: no proxy. HTTP_PROXY and similar variables do not count. */
  readonly proxy: string | undefined;
  /** Put before the text with ` : ` between, also when it is empty. Undefined: nothing is put before. */
  readonly additionalInfo: string | undefined;
}

const SINKS: readonly AlertSink[] = ['slack', 'teams', 'gchat'];

/**
 * Undefined when alerts are off. Alerts that are on and cannot be sent are a warning: they never keep the
 * operator from its work.
 */
export function alertOptionsOf(
  environment: Environment,
  warn: (sentence: string) => void,
): AlertOptions | undefined {
  if (environment.ALERT_ON_RELOAD !== 'true') return undefined;
  const url = environment.ALERT_WEBHOOK_URL?.trim() ?? '';
  const proxy = environment.ALERT_WEBHOOK_PROXY?.trim() ?? '';
  if (!isHttpUrl(url)) {
    const problem =
      url === '' ? 'ALERT_WEBHOOK_URL is not set' : 'ALERT_WEBHOOK_URL is no HTTP URL';
    warn(`no alerts are sent: ${problem}`);
    return undefined;
  }
  if (proxy !== '' && !isHttpUrl(proxy)) {
    warn('no alerts are sent: ALERT_WEBHOOK_PROXY is no HTTP URL');
    return undefined;
  }
  const word = environment.ALERT_SINK?.trim().toLowerCase() ?? '';
  return {
    sink: SINKS.find((sink) => sink === word) ?? 'raw',
    url,
    proxy: proxy === '' ? undefined : proxy,
    additionalInfo: environment.ALERT_ADDITIONAL_INFO?.trim(),
  };
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

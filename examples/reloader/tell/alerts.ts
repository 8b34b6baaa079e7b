/** A message to a chat or another server after each restart: `ALERT_ON_RELOAD` and its companions. */
import { type Clock, type ReconcileContext, type Runnable, runnable } from 'chancery';
import type { AlertOptions, AlertSink } from '../contract/alert-options.ts';
import { isRedirect, PostError, post, redirectRefused } from './http-post.ts';
import type { ReloadObserver } from './observer.ts';
import { reloadedText } from './reloaded-text.ts';

export interface AlertsOptions extends AlertOptions {
  /** For each alert, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called for each alert that did not arrive. */
  readonly lost?: () => void;
}

/** Alerts that wait while one is on its way. What comes then is dropped: a restart never waits for an alert. */
export const MAX_WAITING = 100;

/** What sends, and what is sent. */
export interface Alerts {
  readonly observer: ReloadObserver;
  /** Sends the alerts, one at a time. What still waits when it ends is not sent. */
  readonly runnable: Runnable;
}

interface Waiting {
  readonly text: string;
  /** Of the reconcile that restarted the workload. */
  readonly log: ReconcileContext['log'];
}

/**
 * One alert for each resource of each restart, as the original sends them. They are sent one at a time, in order,
 * with a time limit each, and never twice. One that fails is logged and not tried again.
 */
export function alerts(options: AlertsOptions): Alerts {
  const waiting: Waiting[] = [];
  let isFull = false;
  let wake = (): void => {};
  const { lost = () => {} } = options;
  const add = (alert: Waiting): void => {
    if (waiting.length < MAX_WAITING) {
      waiting.push(alert);
      wake();
      return;
    }
    lost();
    if (!isFull) alert.log.warn({ waiting: MAX_WAITING }, 'alerts are dropped, too many wait');
    isFull = true;
  };
  const next = async (signal: AbortSignal): Promise<Waiting | undefined> => {
    if (waiting.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return waiting.shift();
  };
  return {
    observer: {
      restarted(about, changes) {
        const { dryRun, log } = about.context;
        if (dryRun) return;
        for (const change of changes) add({ text: reloadedText(change, about, '*'), log });
      },
    },
    runnable: runnable({
      name: 'alerts',
      needsLeaderElection: false, // what a leader has restarted is told after its term, too
      async run(signal) {
        signal.addEventListener('abort', () => wake(), { once: true });
        while (!signal.aborted) {
          const alert = await next(signal);
          if (alert === undefined || signal.aborted) continue;
          isFull = false;
          const reason = await sendAlert(alert.text, options, signal);
          if (reason === undefined) continue;
          lost();
          alert.log.warn({ reason }, 'alert not delivered');
        }
      },
    }),
  };
}

/** Sends one. Answers why it did not arrive; undefined when it did, or when `signal` has aborted. */
export async function sendAlert(
  text: string,
  options: AlertsOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { sink, url, proxy, timeoutMs, clock } = options;
  const message = alertMessage(text, options);
  try {
    const { status } = await post({
      ...message,
      url: new URL(url),
      proxy: proxy === undefined ? undefined : new URL(proxy),
      timeoutMs,
      clock,
      signal,
    });
    return refusalOf(sink, status);
  } catch (error) {
    if (signal.aborted) return undefined;
    return error instanceof PostError ? error.message : 'the alert could not be sent';
  }
}

/** Undefined for the answers that the original takes for a success. A redirect is none: it could go anywhere. */
function refusalOf(sink: AlertSink, status: number): string | undefined {
  if (isRedirect(status)) return redirectRefused(status);
  const isSuccess = sink === 'teams' || sink === 'gchat' ? status === 200 : status < 400;
  return isSuccess ? undefined : `the server answered ${status}`;
}

/** Content type and body of an alert. */
export function alertMessage(
  text: string,
  { sink, additionalInfo }: Pick<AlertOptions, 'sink' | 'additionalInfo'>,
): { readonly contentType: string; readonly body: string } {
  const whole = additionalInfo === undefined ? text : `${additionalInfo} : ${text}`;
  const json = (value: object) => ({
    contentType: 'application/json',
    body: JSON.stringify(value),
  });
  switch (sink) {
    case 'slack':
      return json({ attachments: [{ author_name: 'Reloader', color: 'good', text: whole }] });
    case 'teams':
    case 'gchat':
      return json({ text: whole });
    case 'raw':
      return { contentType: 'text/plain', body: whole.replaceAll('*', '') };
  }
}

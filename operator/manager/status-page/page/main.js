/**
 * The script of the status page. It shows the state of the process, which the server sends once a second.
 *
 * @import { ProcessStatus } from '../process-status.ts'
 */

import { byId } from './dom.js';
import { listenToKeys, showSearch } from './keys.js';
import {
  showAttention,
  showControllers,
  showProcess,
  showRecent,
  showRecording,
  showRunnables,
  showSharding,
  showSources,
  showWrites,
} from './sections.js';
import { timeOf } from './words.js';

/** A server that refuses a page, as it does from the 17th on, is asked again after this time. */
const REFUSED_MS = 10_000;

/** @type {ProcessStatus | undefined} */
let latest;

function showLatest() {
  if (latest === undefined) return;
  showProcess(latest);
  showAttention(latest);
  showSearch(latest.controllers);
  showControllers(latest.controllers);
  showRunnables(latest.runnables);
  showSharding(latest.sharding);
  showSources(latest.sources);
  showWrites(latest.writesPerMinute);
  showRecording(latest.recording);
  showRecent(latest.recent);
}

/**
 * The words are announced when they change, the time beside them is not.
 *
 * @param {string} text
 * @param {string} at
 * @param {string} className
 */
function showLink(text, at, className) {
  const link = byId('link');
  if (link.textContent !== text) link.textContent = text;
  link.className = className;
  byId('at').textContent = at;
}

function lost() {
  const words =
    latest === undefined
      ? 'The operator does not answer. Trying again.'
      : `Connection lost. What is shown is of ${timeOf(latest.at)} UTC. Trying again.`;
  showLink(words, '', 'lost');
  if (latest === undefined) byId('loading').textContent = 'Nothing to show yet.';
}

function connect() {
  const events = new EventSource('status/events');
  events.onmessage = ({ data }) => {
    latest = JSON.parse(data);
    byId('loading').hidden = true;
    byId('main').hidden = false;
    byId('parts').hidden = false;
    showLatest();
    if (latest) showLink('live', `, ${timeOf(latest.at)} UTC`, '');
  };
  events.onerror = () => {
    lost();
    // A browser tries again by itself after a lost connection, and not after a refusal.
    if (events.readyState === EventSource.CLOSED) window.setTimeout(connect, REFUSED_MS);
  };
}

listenToKeys();
document.addEventListener('show-all', showLatest);
connect();

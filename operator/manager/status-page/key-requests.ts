import type { ServerResponse } from 'node:http';
import type { ObjectKey } from '../../model/object.ts';
import { send } from '../http/listener.ts';
import { KEY_FILTERS, type KeyView } from './key-view.ts';

/** Namespace, slash and name have at most 63 + 1 + 253 characters. */
const MAX_KEY_CHARS = 317;

type Keys = Pick<KeyView, 'why' | 'search' | 'controllers'>;

/** Answers `/why.json?key=NAMESPACE/NAME&controller=NAME`. */
export function answerWhy(keys: Keys, query: URLSearchParams, response: ServerResponse): void {
  const key = query.get('key') ?? '';
  const controller = controllerOf(keys, query, response);
  if (controller === null) return;
  if (key === '' || key.length > MAX_KEY_CHARS) {
    send(response, 400, 'key must be NAMESPACE/NAME, or NAME for an object without a namespace\n');
    return;
  }
  sendJson(response, keys.why(key as ObjectKey, controller));
}

/** Answers `/keys.json?search=TEXT&controller=NAME&state=all|failing|working|waiting`. */
export function answerKeys(keys: Keys, query: URLSearchParams, response: ServerResponse): void {
  const text = query.get('search') ?? '';
  const state = query.get('state') ?? 'all';
  const filter = KEY_FILTERS.find((each) => each === state);
  const controller = controllerOf(keys, query, response);
  if (controller === null) return;
  if (filter === undefined || text.length > MAX_KEY_CHARS) {
    send(
      response,
      400,
      `state must be one of ${KEY_FILTERS.join(', ')}, and search a part of a key\n`,
    );
    return;
  }
  sendJson(response, keys.search({ text, controller, filter }));
}

/**
 * The requested controller; undefined for all controllers. Null if no controller has this name; the function
 * has then answered the request.
 */
function controllerOf(
  keys: Keys,
  query: URLSearchParams,
  response: ServerResponse,
): string | undefined | null {
  const name = query.get('controller') ?? '';
  if (name === '') return undefined;
  const names = keys.controllers;
  if (names.includes(name)) return name;
  send(
    response,
    404,
    `there is no controller of this name, but ${names.join(', ') || 'none at all'}\n`,
  );
  return null;
}

function sendJson(response: ServerResponse, answer: object): void {
  send(response, 200, `${JSON.stringify(answer)}\n`, 'application/json');
}

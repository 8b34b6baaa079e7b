import { compiledConditions } from '../cel/match-conditions.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { failurePolicy, matchPolicy, requestRules, wordIfSet } from './admission-rules.ts';
import { between, isEmpty } from './fields/check.ts';
import { dnsSubdomain } from './fields/formats.ts';
import { labelSelector } from './fields/label-selector.ts';
import {
  duplicate,
  invalidValue,
  notSupported,
  type Problem,
  required,
  tooMany,
} from './fields/problem.ts';

/**
 * Checks the configuration of webhooks (kubernetes/kubernetes, pkg/apis/admissionregistration/validation).
 * Unlike a real server, this server accepts a `url` with `http`.
 */
export function webhookConfiguration({ webhooks }: StoredObject): readonly Problem[] {
  const list = Array.isArray(webhooks) ? webhooks.filter(isObject) : [];
  const names = list.map(({ name }) => name);
  return list.flatMap((webhook, at) => {
    const field = `webhooks[${at}]`;
    const again = names.indexOf(webhook.name) < at;
    return [
      ...(again ? [duplicate(`${field}.name`, webhook.name)] : []),
      ...webhookProblems(webhook, field),
    ];
  });
}

const reinvocationPolicy = wordIfSet('IfNeeded', 'Never');
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const MAX_SECONDS = 30;
const MAX_CONDITIONS = 64;

function* webhookProblems(webhook: Json, field: string): Generator<Problem, void, undefined> {
  const { sideEffects, timeoutSeconds } = webhook;
  yield* nameProblems(String(webhook.name ?? ''), `${field}.name`);
  yield* requestRules(webhook.rules, `${field}.rules`);
  yield* failurePolicy(webhook.failurePolicy, `${field}.failurePolicy`);
  yield* matchPolicy(webhook.matchPolicy, `${field}.matchPolicy`);
  if (!sideEffects) {
    yield required(`${field}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`);
  } else if (!SIDE_EFFECTS.includes(String(sideEffects))) {
    yield notSupported(`${field}.sideEffects`, sideEffects, SIDE_EFFECTS);
  }
  if (timeoutSeconds !== undefined && !isTimeout(timeoutSeconds)) {
    const why = `the timeout value must be between 1 and ${MAX_SECONDS} seconds`;
    yield invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, why);
  }
  yield* labelSelector(webhook.namespaceSelector, `${field}.namespaceSelector`);
  yield* labelSelector(webhook.objectSelector, `${field}.objectSelector`);
  yield* reinvocationPolicy(webhook.reinvocationPolicy, `${field}.reinvocationPolicy`);
  yield* versionProblems(webhook.admissionReviewVersions, `${field}.admissionReviewVersions`);
  yield* clientProblems(webhook.clientConfig, `${field}.clientConfig`);
  yield* conditionProblems(webhook, field);
}

function isTimeout(seconds: unknown): boolean {
  return typeof seconds === 'number' && seconds >= 1 && seconds <= MAX_SECONDS;
}

function nameProblems(name: string, field: string): readonly Problem[] {
  if (name === '') return [required(field)];
  const wrong = dnsSubdomain(name);
  if (wrong.length > 0) return [invalidValue(field, name, wrong.join(','))];
  const why = 'should be a domain with at least three segments separated by dots';
  return name.split('.').length < 3 ? [invalidValue(field, name, why)] : [];
}

function* versionProblems(versions: unknown, field: string): Generator<Problem, void, undefined> {
  if (isEmpty(versions)) {
    yield required(field, 'must specify one of v1, v1beta1');
    return;
  }
  const list = Array.isArray(versions) ? versions : [];
  if (!list.includes('v1') && !list.includes('v1beta1')) {
    yield invalidValue(field, versions, 'must include at least one of v1, v1beta1');
  }
}

function* clientProblems(client: unknown, field: string): Generator<Problem, void, undefined> {
  const { url, service } = isObject(client) ? client : {};
  if (Boolean(url) === isObject(service)) {
    yield required(field, 'exactly one of url or service is required');
    return;
  }
  if (url) yield* urlProblems(String(url), `${field}.url`);
  if (!isObject(service)) return;
  for (const part of ['name', 'namespace']) {
    if (!service[part]) yield required(`${field}.service.${part}`);
  }
  const port = between(1, 65_535)(service.port, `${field}.service.port`);
  for (const { message, ...problem } of port) {
    yield { ...problem, message: message.replace(': must', ': port is not valid: must') };
  }
  yield* pathProblems(String(service.path ?? ''), `${field}.service.path`);
}

function* pathProblems(path: string, field: string): Generator<Problem, void, undefined> {
  if (path === '' || path === '/') return;
  if (path === '//') {
    yield invalidValue(field, path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) yield invalidValue(field, path, "must start with a '/'");
  for (const [at, step] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') yield invalidValue(field, path, `segment[${at}] may not be empty`);
    else
      for (const why of dnsSubdomain(step))
        yield invalidValue(field, path, `segment[${at}]: ${why}`);
  }
}

const FORM = '; desired format: https://host[/path]';

function* urlProblems(url: string, field: string): Generator<Problem, void, undefined> {
  if (!URL.canParse(url)) {
    yield required(field, `url must be a valid URL${FORM}`);
    return;
  }
  const { protocol, search, hash, username } = new URL(url);
  const scheme = protocol.replace(':', '');
  if (scheme !== 'https' && scheme !== 'http') {
    yield invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`);
  }
  if (username !== '') {
    yield invalidValue(field, username, 'user information is not permitted in the URL');
  }
  if (hash !== '') {
    yield invalidValue(field, hash.slice(1), 'fragments are not permitted in the URL');
  }
  if (search !== '') {
    yield invalidValue(field, search.slice(1), 'query parameters are not permitted in the URL');
  }
}

function* conditionProblems(webhook: Json, field: string): Generator<Problem, void, undefined> {
  const { matchConditions } = webhook;
  const list = Array.isArray(matchConditions) ? matchConditions.filter(isObject) : [];
  if (list.length > MAX_CONDITIONS) {
    yield tooMany(`${field}.matchConditions`, list.length, MAX_CONDITIONS);
    return;
  }
  for (const [at, { name }] of list.entries()) {
    const place = `${field}.matchConditions[${at}].name`;
    if (!name) yield required(place);
    else if (list.findIndex((one) => one.name === name) < at) yield duplicate(place, name);
  }
  for (const { field: place, text, program } of compiledConditions(webhook)) {
    if ('rejected' in program) yield invalidValue(`${field}.${place}`, text, program.rejected);
  }
}

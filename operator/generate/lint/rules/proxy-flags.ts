import { REJECT_PATHS } from '../../../access/filter/filter-problems.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { argumentPath, portOf, variable } from '../installation.ts';
import { ambassadorKubeconfig } from '../kubeconfig.ts';
import { elementsOf } from '../proxy-flags.ts';

/** Flags of the entry point, with the only allowed value of each. */
const FIXED: readonly (readonly [flag: string, value: string, why: string])[] = [
  ['address', '127.0.0.1', 'everything else, even nothing, listens where other Pods reach it'],
  ['api-prefix', '/', 'the filter would compare other paths than it was made for'],
  ['append-server-path', 'false', 'the filter would compare other paths than it was made for'],
  ['disable-filter', 'false', 'everything would be open, to every Host header'],
  ['www', '', 'files are served outside of every filter'],
];

export const fixedFlags: Rule = {
  id: 'fixed-flags',
  check: ({ flags, proxy, kubectl }) =>
    FIXED.flatMap(([name, expected, why]) => {
      const flag = flags.values.get(name);
      if (flag === undefined || flag.value === expected) return [];
      return [
        {
          path: argumentPath(proxy, flag),
          wrong: `gives --${name}=${flag.value}`,
          why,
          todo:
            kubectl === undefined
              ? `leave it out, the image has --${name}=${expected}`
              : `set --${name}=${expected}`,
        },
      ];
    }),
};

/** Exact patterns for the names of loopback. */
const HOSTS = ['^127[.]0[.]0[.]1$', '^127\\.0\\.0\\.1$', '^localhost$'];

export const acceptHosts: Rule = {
  id: 'accept-hosts',
  check: ({ flags, proxy }) => {
    const flag = flags.values.get('accept-hosts');
    const wide = (flag?.value.split(',') ?? []).find((element) => !HOSTS.includes(element));
    if (flag === undefined || wide === undefined) return [];
    return [
      {
        path: argumentPath(proxy, flag),
        wrong: `accepts the hosts ${JSON.stringify(wide)}`,
        why: 'a web page could reach a forwarded port by a name of its own',
        todo: 'accept 127.0.0.1 and localhost, as --accept-hosts=^127[.]0[.]0[.]1$,^localhost$ does',
      },
    ];
  },
};

/** From this log level on, kubectl logs decoded paths. */
const LOGS_PATHS = 3;

export const logLevel: Rule = {
  id: 'proxy-log-level',
  check: ({ flags, proxy }) => {
    const flag = flags.values.get('v');
    if (flag === undefined || Number(flag.value) < LOGS_PATHS) return [];
    return [
      {
        level: 'warning',
        path: argumentPath(proxy, flag),
        wrong: `gives --v=${flag.value}`,
        why: 'decoded paths are logged, and a line break in one forges a line; it costs time, too',
        todo: 'use it while you look for something, and take it out again',
      },
    ];
  },
};

export const operatorUrl: Rule = {
  id: 'operator-url',
  check: (installation) => {
    const { operator, socket } = installation;
    if (operator === undefined) return [];
    const expected =
      socket === undefined ? `http://127.0.0.1:${portOf(installation)}` : `unix:${socket}`;
    const found = variable(operator.container, 'CHANCERY_API_URL');
    if (found === undefined && ambassadorKubeconfig(installation) !== undefined) return [];
    const url = found === undefined ? 'http://127.0.0.1:8001' : (found.value ?? '');
    if (url.replace(/\/$/, '') === expected) return [];
    return [
      {
        path: `${operator.path}.env[CHANCERY_API_URL]`,
        wrong: `is ${found === undefined ? 'not set, so http://127.0.0.1:8001' : JSON.stringify(url)}`,
        why: `the ambassador of this Pod listens on ${expected}`,
        todo: `set ${expected}`,
      },
    ];
  },
};

export const rejectPaths: Rule = {
  id: 'reject-paths',
  check: (installation) => {
    const elements = givenElements(installation, 'reject-paths');
    if (elements === undefined) return [];
    const missing = REJECT_PATHS.filter((path) => !elements.includes(path));
    const path = pathOfFlag(installation, 'reject-paths');
    return [
      ...missing.map((element) => ({
        path,
        wrong: `leaves out ${element}`,
        why: 'tunnels, tokens and dots must be refused whatever is accepted',
        todo: 'add your elements to those of `chancery generate proxy`',
      })),
      ...unreadable(elements, path),
    ];
  },
};

export const rejectMethods: Rule = {
  id: 'reject-methods',
  check: (installation) => {
    const elements = givenElements(installation, 'reject-methods');
    if (elements === undefined) return [];
    const path = pathOfFlag(installation, 'reject-methods');
    const loose = elements.filter((element) => !/^\^(?:[A-Z]+|\([A-Z|]+\))\$$/.test(element));
    const open = ALWAYS_REJECTED_METHODS.filter(
      (method) => !elements.some((element) => element.split(/[^A-Z]+/).includes(method)),
    );
    return [
      ...loose.map((element) => ({
        path,
        wrong: `has the element ${JSON.stringify(element)}`,
        why: 'kubectl looks for it anywhere in a method: "T" rejects GET, and nothing else is said',
        todo: 'write ^(METHOD|METHOD)$',
      })),
      ...open.map((method) => ({
        path,
        wrong: `leaves out ${method}`,
        why: 'no operator needs it, and a server may act upon it',
        todo: `reject ${ALWAYS_REJECTED_METHODS.join(', ')} at least`,
      })),
    ];
  },
};

/** The elements of a flag. Undefined when the image sets the flag. */
function givenElements({ flags }: Installation, name: string): readonly string[] | undefined {
  const flag = flags.values.get(name);
  return flag === undefined ? undefined : elementsOf(flag.value);
}

function pathOfFlag({ flags, proxy }: Installation, name: string): string {
  const flag = flags.values.get(name);
  return flag === undefined ? proxy.path : argumentPath(proxy, flag);
}

/** Reports elements that match everything, and elements that make kubectl exit when it starts. */
function unreadable(elements: readonly string[], path: string): readonly Problem[] {
  return elements
    .filter((element) => element === '' || /\(\?[=!<]|\\[1-9]/.test(element) || !compiles(element))
    .map((element) => ({
      path,
      wrong: `has the element ${JSON.stringify(element)}`,
      why: 'an empty one rejects everything, and one that RE2 cannot read ends kubectl',
      todo: 'correct it; look for a comma inside of an expression, where kubectl splits',
    }));
}

function compiles(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

/** Methods that the image always rejects. No declared verb needs them. */
const ALWAYS_REJECTED_METHODS: readonly string[] = ['CONNECT', 'HEAD', 'OPTIONS', 'TRACE'];

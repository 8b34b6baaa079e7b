import { type ProxyFilter, proxyArguments } from '../../access/filter/proxy-filter.ts';

/**
 * The arguments of kubectl for an ambassador on this machine. Like the image of the ambassador, it listens on
 * loopback only, serves no files, and answers to the names of loopback only.
 *
 * @param port - 0 for any free port.
 * @param upstream - arguments that say which API server, such as `--context=NAME`.
 */
export function kubectlProxyFlags(
  filter: ProxyFilter,
  port: number,
  upstream: readonly string[],
): readonly string[] {
  return [
    'proxy',
    ...upstream,
    '--address=127.0.0.1',
    `--port=${port}`,
    '--www=',
    '--disable-filter=false',
    '--accept-hosts=^127[.]0[.]0[.]1$,^localhost$',
    ...proxyArguments(filter),
  ];
}

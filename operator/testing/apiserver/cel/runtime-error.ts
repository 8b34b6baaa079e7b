/** What the server says when a rule cannot be evaluated. */
export function runtimeErrorText(error: unknown, rule: string): string {
  const {
    code = '',
    summary,
    message,
  } = error as {
    readonly code?: string;
    readonly summary?: string;
    readonly message?: string;
  };
  const text = summary ?? message ?? String(error);
  if (code === 'no_such_overload' || code === 'no_matching_overload') {
    return `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  }
  return `${wordsOf(code, text)} evaluating rule: ${rule}`;
}

function wordsOf(code: string, text: string): string {
  switch (code) {
    case 'no_such_key':
      return text.replace(/^No such key/, 'no such key');
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(text)?.[1] ?? ''}`;
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'numeric_overflow':
      return 'integer overflow';
    default:
      return text;
  }
}

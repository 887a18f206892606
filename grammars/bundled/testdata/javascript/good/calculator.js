// A calculator: tokens, a tree, a value.

const operators = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 3 };
const constants = new Map([['pi', Math.PI], ['e', Math.E]]);

class Lexer {
  constructor(source) {
    this.source = source;
    this.position = 0;
  }

  get rest() { return this.source.slice(this.position); }

  *tokens() {
    while (this.position < this.source.length) {
      const matched = /^\s*(?:(\d+(?:\.\d*)?)|([a-z_]\w*)|(.))/i.exec(this.rest);
      if (!matched) return;
      const [whole, number, name, symbol] = matched;
      this.position += whole.length;
      if (number !== undefined) {
        yield { kind: 'number', value: parseFloat(number) };
      } else if (name) {
        yield { kind: 'name', value: name };
      } else {
        yield { kind: 'symbol', value: symbol };
      }
    }
  }
}

class Parser {
  constructor(lexer) {
    this.queue = [...lexer.tokens()];
  }

  static parse(text) { return new Parser(new Lexer(text)).expression(0); }

  peek(offset = 0) { return this.queue[offset]; }

  accept(symbol) {
    const token = this.peek();
    if (token && token.value === symbol) {
      this.queue.shift();
      return true;
    }
    return false;
  }

  expression(least) {
    let left = this.primary();
    for (;;) {
      const token = this.peek();
      const strength = token && operators[token.value];
      if (!strength || strength < least) break;
      this.queue.shift();
      const right = this.expression(token.value === '^' ? strength : strength + 1);
      left = { kind: 'operation', operator: token.value, left, right };
    }
    return left;
  }

  primary() {
    if (this.accept('(')) {
      const inner = this.expression(0);
      if (!this.accept(')')) throw new SyntaxError(`expected ")" before ${JSON.stringify(this.peek())}`);
      return inner;
    }
    if (this.accept('-')) return { kind: 'negation', operand: this.primary() };
    return this.queue.shift() || { kind: 'number', value: NaN };
  }
}

class LoggingParser extends Parser {
  constructor(lexer, log) {
    super(lexer);
    this.log = log;
  }

  primary() {
    this.log('primary', this.queue.length);
    return super.primary();
  }
}

const evaluate = node => {
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'name':
      return constants.has(node.value) ? constants.get(node.value) : 0;
    case 'negation':
      return -evaluate(node.operand);
    case 'operation': {
      const a = evaluate(node.left), b = evaluate(node.right);
      if (node.operator === '+') return a + b;
      if (node.operator === '-') return a - b;
      if (node.operator === '*') return a * b;
      if (node.operator === '/') return a / b;
      return node.operator === '%' ? a % b : Math.pow(a, b);
    }
    default:
      throw new Error('unknown kind ' + node.kind);
  }
};

exports.calculate = text => evaluate(Parser.parse(text));
exports.LoggingParser = LoggingParser;

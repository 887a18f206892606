// Reads patterns of routes such as /users/:id(int)/posts/*.

class Route {
  constructor() {
    this.parts = []
  }

  add(part) {
    this.parts.push(part)
    if (part.optional) this.checkOptional(part)
  }

  checkOptional(part) {
    if (part.kind.test.test('')) throw new SyntaxError(`${part.name} cannot be optional`)
  }
}

const kinds = {
  int: {test: /^\d+$/},
  word: {test: /^\w+$/},
  any: {test: /^.+$/},
}

function parameter(text) {
  const [, name, type, mark] = /^:(\w+)(?:\((\w+)\))?(\?)?$/.exec(text) ?? []
  if (!name) throw new SyntaxError(`invalid parameter ${text}`)
  return {name, kind: type ? named(type) : kinds.any, optional: mark === '?'}
}

function named(type) {
  if (!(type in kinds)) throw new SyntaxError(`unknown type ${type}`)
  return kinds[type]
}

function wildcard(text) {
  return {name: '*', optional: text.endsWith('?')}
}

const literal = text => ({name: text, optional: false})

exports.parse = text => {
  if (!text.startsWith('/')) throw new SyntaxError('must start with /')
  const route = new Route()
  for (const part of text.slice(1).split('/')) {
    route.add(part.startsWith(':') ? parameter(part) : part.startsWith('*') ? wildcard(part) : literal(part))
  }
  return route
}

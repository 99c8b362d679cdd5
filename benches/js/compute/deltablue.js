'use strict';
// A solver of constraints between variables, after the DeltaBlue algorithm: constraints have strengths, a change is propagated along a
// plan. Polymorphic methods, small arrays, object graphs.
const REQUIRED = 0, STRONG = 1, NORMAL = 2, WEAK = 3, WEAKEST = 4;

class Variable {
  constructor(name, value) {
    this.name = name;
    this.value = value;
    this.constraints = [];
    this.determinedBy = null;
    this.mark = 0;
    this.walkStrength = WEAKEST;
    this.stay = true;
  }
}

class Constraint {
  constructor(strength) {
    this.strength = strength;
  }

  // Chooses an output; undoes the weaker constraint that determined it, which is returned.
  satisfy(mark, planner) {
    this.choose(mark);
    if (!this.isSatisfied()) {
      if (this.strength === REQUIRED) throw new Error('a required constraint cannot be satisfied');
      return null;
    }
    for (const input of this.inputs()) input.mark = mark;
    const output = this.output();
    const overridden = output.determinedBy;
    if (overridden !== null) overridden.unsatisfy();
    output.determinedBy = this;
    if (!planner.propagate(this, mark)) throw new Error('a cycle of constraints');
    output.mark = mark;
    return overridden;
  }

  add(planner) {
    for (const variable of this.variables()) variable.constraints.push(this);
    planner.add(this);
    return this;
  }

  remove(planner) {
    if (this.isSatisfied()) planner.remove(this);
    for (const variable of this.variables()) variable.constraints.splice(variable.constraints.indexOf(this), 1);
  }

  areInputsKnown(mark) {
    return this.inputs().every((input) => input.mark === mark || input.stay || input.determinedBy === null);
  }
}

class Unary extends Constraint {
  constructor(variable, strength) {
    super(strength);
    this.variable = variable;
    this.isOn = false;
  }

  variables() { return [this.variable]; }
  inputs() { return []; }
  output() { return this.variable; }
  isSatisfied() { return this.isOn; }
  unsatisfy() { this.isOn = false; }
  choose(mark) { this.isOn = this.variable.mark !== mark && this.strength < this.variable.walkStrength; }

  recalculate() {
    this.variable.walkStrength = this.strength;
    this.variable.stay = !this.isInput();
    if (this.variable.stay) this.execute();
  }
}

class Stay extends Unary {
  isInput() { return false; }
  execute() {}
}

class Edit extends Unary {
  isInput() { return true; }
  execute() {}
}

class Binary extends Constraint {
  constructor(one, other, strength) {
    super(strength);
    this.one = one;
    this.other = other;
    // 0: not satisfied, 1: `other` follows `one`, -1: the other way round.
    this.direction = 0;
  }

  variables() { return [this.one, this.other]; }
  inputs() { return [this.direction === 1 ? this.one : this.other]; }
  output() { return this.direction === 1 ? this.other : this.one; }
  isSatisfied() { return this.direction !== 0; }
  unsatisfy() { this.direction = 0; }
  isInput() { return false; }

  choose(mark) {
    const { one, other } = this;
    const canSet = (variable) => variable.mark !== mark && this.strength < variable.walkStrength;
    if (one.mark === mark) this.direction = canSet(other) ? 1 : 0;
    else if (other.mark === mark) this.direction = canSet(one) ? -1 : 0;
    else if (one.walkStrength > other.walkStrength) this.direction = canSet(one) ? -1 : 0;
    else this.direction = canSet(other) ? 1 : 0;
  }

  recalculate() {
    const input = this.inputs()[0], output = this.output();
    output.walkStrength = Math.max(this.strength, input.walkStrength);
    output.stay = input.stay;
    if (output.stay) this.execute();
  }
}

class Equal extends Binary {
  execute() { this.output().value = this.inputs()[0].value; }
}

// `other` is `one` times a factor plus an offset.
class Scale extends Binary {
  constructor(one, factor, offset, other, strength) {
    super(one, other, strength);
    this.factor = factor;
    this.offset = offset;
  }

  execute() {
    if (this.direction === 1) this.other.value = this.one.value * this.factor + this.offset;
    else this.one.value = (this.other.value - this.offset) / this.factor;
  }
}

class Planner {
  mark = 0;

  add(constraint) {
    const mark = ++this.mark;
    let overridden = constraint.satisfy(mark, this);
    while (overridden !== null) overridden = overridden.satisfy(mark, this);
  }

  remove(constraint) {
    const output = constraint.output();
    constraint.unsatisfy();
    output.determinedBy = null;
    output.walkStrength = WEAKEST;
    output.stay = true;
    const open = [];
    const todo = [output];
    for (let variable = todo.pop(); variable !== undefined; variable = todo.pop()) {
      for (const one of variable.constraints) if (!one.isSatisfied()) open.push(one);
      for (const one of this.consumers(variable)) {
        one.recalculate();
        todo.push(one.output());
      }
    }
    open.sort((a, b) => a.strength - b.strength);
    for (const one of open) this.add(one);
  }

  consumers(variable) {
    return variable.constraints.filter((one) => one.isSatisfied() && one !== variable.determinedBy);
  }

  propagate(constraint, mark) {
    const todo = [constraint];
    for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
      if (one.output().mark === mark) return false;
      one.recalculate();
      todo.push(...this.consumers(one.output()));
    }
    return true;
  }

  // The constraints to execute, in order, when the value of an edited variable changes.
  plan(edits) {
    const mark = ++this.mark;
    const plan = [];
    const todo = edits.filter((edit) => edit.isInput() && edit.isSatisfied());
    for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
      if (one.output().mark === mark || !one.areInputsKnown(mark)) continue;
      plan.push(one);
      one.output().mark = mark;
      todo.push(...this.consumers(one.output()));
    }
    return plan;
  }

  change(variable, values) {
    const edit = new Edit(variable, STRONG).add(this);
    const plan = this.plan([edit]);
    for (const value of values) {
      variable.value = value;
      for (const one of plan) one.execute();
    }
    edit.remove(this);
  }
}

function chain(count) {
  const planner = new Planner();
  const variables = Array.from({ length: count }, (_, at) => new Variable(`v${at}`, 0));
  for (let at = 1; at < count; at++) new Equal(variables[at - 1], variables[at], REQUIRED).add(planner);
  new Stay(variables[count - 1], NORMAL).add(planner);
  planner.change(variables[0], [1, 2, 3, 4, 5]);
  return variables[count - 1].value;
}

function projection(count) {
  const planner = new Planner();
  const sources = [], targets = [];
  for (let at = 0; at < count; at++) {
    sources.push(new Variable(`s${at}`, at));
    targets.push(new Variable(`t${at}`, at));
    new Stay(sources[at], WEAK).add(planner);
    new Scale(sources[at], 10, 1000, targets[at], REQUIRED).add(planner);
  }
  planner.change(sources[count - 1], [17]);
  planner.change(targets[0], [1050]);
  return targets[count - 1].value + sources[0].value;
}

require('./harness.js')('deltablue', () => {
  const last = chain(100), sum = projection(100);
  if (last !== 5 || sum !== 1170 + 5) throw new Error(`wrong result: ${last} ${sum}`);
});

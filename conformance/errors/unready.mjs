// A module's namespace is named in a message before what it exports has a value.
import * as itself from './unready.mjs';

function say(name, call) {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(`${name}: ${error.name}: ${error.message}`);
  }
}

function all(when) {
  say(when, () => itself.toString);
  say(when, () => 'nothing is left over');
}

all('before');
export let toString = 5, constructor = 6;
all('after');

import './throws.cjs';
note('over_throwsk runs');

import de.cispa.se.tribble.dsl._

// Addresses of electronic mail, much simplified.
Grammar(
  'mail := 'name ~ "@" ~ 'host ~ ("," ~ " ".? ~ 'mail).?,

  'name := "[a-z]([a-z0-9]|\\.[a-z])*".regex @@ 0.75 | "\"" ~ 'text.rep(1, 3) ~ "\"",

  'text := "[^\"\\\\\n]".regex | """\""" ~ ('!' -> '~'), /* any character behind a backslash */

  'host := 'label ~ ("." ~ 'label).rep(1),

  'label := "[a-z0-9-]{1,4}&~(-.*|.*-)".regex
)

"""How well the bundled grammar xml fits documents that others wrote, and libxml2 what it generates.

    python3 xml.py corpus WORK --inroad inroad       parse documents of Maven and npm packages
    python3 xml.py accepted WORK --inroad inroad     let libxml2 read generated ones; needs lxml
"""

import argparse
import pathlib

import packages

# Project descriptions, schemas, style sheets of DocBook, configuration, drawings, and resources of applications.
POMS = """
junit:junit:4.13.2 com.google.guava:guava:33.0.0-jre com.google.guava:guava-parent:33.0.0-jre org.slf4j:slf4j-api:2.0.11
org.slf4j:slf4j-parent:1.7.36 log4j:log4j:1.2.17 org.apache.logging.log4j:log4j:2.22.1 org.apache.logging.log4j:log4j-core:2.22.1
ch.qos.logback:logback-classic:1.4.14 ch.qos.logback:logback-parent:1.4.14 org.apache.commons:commons-lang3:3.14.0 commons-io:commons-io:2.15.1
org.apache.commons:commons-parent:65 commons-codec:commons-codec:1.16.0 commons-collections:commons-collections:3.2.2 commons-logging:commons-logging:1.2
org.apache:apache:31 org.apache.maven:maven:3.9.6 org.apache.maven:maven-core:3.9.6 org.apache.maven:maven-model:3.9.6 org.apache.maven:maven-parent:41
org.apache.maven.plugins:maven-compiler-plugin:3.12.1 org.apache.maven.plugins:maven-surefire-plugin:3.2.5 org.apache.maven.plugins:maven-jar-plugin:3.3.0
org.springframework:spring-core:5.3.31 org.springframework:spring-context:6.1.3 org.springframework.boot:spring-boot-dependencies:3.2.2
org.springframework.boot:spring-boot-starter-parent:3.2.2 com.fasterxml.jackson.core:jackson-databind:2.16.1 com.fasterxml.jackson:jackson-parent:2.16
com.fasterxml.jackson:jackson-base:2.16.1 com.google.code.gson:gson:2.10.1 com.google.code.gson:gson-parent:2.10.1 org.hibernate:hibernate-core:5.6.15.Final
org.mockito:mockito-core:5.9.0 org.assertj:assertj-core:3.25.1 org.hamcrest:hamcrest:2.2 org.hamcrest:hamcrest-core:1.3 org.testng:testng:7.9.0
org.eclipse.jetty:jetty-server:11.0.19 org.eclipse.jetty:jetty-project:11.0.19 io.netty:netty-parent:4.1.106.Final io.netty:netty-common:4.1.106.Final
org.scala-lang:scala-library:2.13.12 org.jetbrains.kotlin:kotlin-stdlib:1.9.22 org.clojure:clojure:1.11.1 org.codehaus.groovy:groovy:3.0.20
org.apache.tomcat.embed:tomcat-embed-core:10.1.18 org.apache.hadoop:hadoop-main:3.3.6 org.apache.hadoop:hadoop-common:3.3.6 org.apache.spark:spark-parent_2.12:3.5.0
org.apache.kafka:kafka-clients:3.6.1 org.apache.lucene:lucene-core:9.9.1 org.apache.zookeeper:parent:3.9.1 org.apache.camel:camel:3.22.0
org.apache.ant:ant:1.10.14 xerces:xercesImpl:2.12.2 xalan:xalan:2.7.3 dom4j:dom4j:1.6.1 org.dom4j:dom4j:2.1.4 org.jdom:jdom2:2.0.6.1 xom:xom:1.3.9
joda-time:joda-time:2.12.6 org.projectlombok:lombok:1.18.30 javax.servlet:javax.servlet-api:4.0.1 javax.inject:javax.inject:1 org.yaml:snakeyaml:2.2
mysql:mysql-connector-java:8.0.33 org.postgresql:postgresql:42.7.1 com.h2database:h2:2.2.224 org.antlr:antlr4:4.13.1 org.antlr:antlr4-master:4.13.1
com.puppycrawl.tools:checkstyle:10.12.7 net.java.dev.jna:jna:5.14.0 org.ow2.asm:asm:9.6 org.mozilla:rhino:1.7.14 com.squareup.okhttp3:okhttp:4.12.0
""".split()

PACKAGES = [f"maven:{pom}:pom" for pom in POMS] + """
maven:org.springframework:spring-beans:5.3.31:jar maven:org.springframework:spring-context:5.3.31:jar maven:org.springframework:spring-tx:5.3.31:jar
maven:org.hibernate:hibernate-core:5.6.15.Final:jar maven:net.sf.docbook:docbook-xsl:1.78.1:-resources.zip
maven:com.puppycrawl.tools:checkstyle:10.12.7:jar maven:org.apache.maven:maven-core:3.9.6:jar maven:org.apache.struts:struts2-core:6.3.0.2:jar
maven:javax.servlet:jstl:1.2:jar maven:taglibs:standard:1.1.2:jar maven:org.apache.velocity:velocity-tools:2.0:jar
npm:bootstrap-icons@1.11.3 npm:@fortawesome/fontawesome-free@6.5.1 npm:flag-icon-css@4.1.7 npm:ionicons@4.6.3 npm:cordova-android@12.0.1
npm:cordova-ios@7.0.1 npm:react-native@0.73.2 npm:katex@0.16.9 npm:mathjax@2.7.9 npm:bpmn-moddle@8.0.1 npm:leaflet@1.9.4 npm:nativescript@8.6.5
""".split()

ENDINGS = (".xml", ".pom", ".svg", ".xsd", ".xsl", ".xslt", ".tld", ".wsdl", ".plist", ".storyboard", ".xib", ".xlf", ".rng", ".bpmn")


def errors(text):
    """The kinds of what libxml2 finds not to be well-formed. What is undeclared in a namespace is well-formed."""
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        etree.fromstring(text, parser)
    except etree.XMLSyntaxError:
        pass
    return list(dict.fromkeys(f"{e.type_name}: {e.message[:60]}" for e in parser.error_log if e.level_name == "FATAL"))


def accepted(work, inroad):
    for kind, files in packages.generated(inroad, "xml", work, 1000):
        refused = [(e.split(":")[0], file.name) for file in files for e in errors(file.read_bytes())[:1]]
        packages.report(f"{kind}, accepted", len(files), refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["corpus", "accepted"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--inroad", default="inroad")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.task == "corpus":
        packages.check(args.inroad, "xml", packages.extract(PACKAGES, ENDINGS, args.folder, 60))
    else:
        accepted(args.folder, args.inroad)


if __name__ == "__main__":
    main()
